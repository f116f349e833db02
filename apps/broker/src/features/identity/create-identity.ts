import type { PersonalToken } from '@souk/contract/identity.ts';
import type { FastifyInstance } from 'fastify';
import type { Guard, Router } from '#platform/http/router.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { AccountContributor } from './account/account-contributors.ts';
import { deleteRestored } from './account/delete-account.ts';
import type { McpAuthentication } from './authentication/authenticate-mcp.ts';
import type { GuessLimit } from './authentication/guess-limit.ts';
import { createFindTokenOwner, type FindTokenOwner } from './authentication/find-token-owner.ts';
import { createIdentityParts } from './create-identity-parts.ts';
import type { IdentityOptions } from './identity-options.ts';
import { mountIdentity } from './mount-identity.ts';
import { nameClients, namesOfGrants, type UsedClient } from './name-clients.ts';
import type { KnownDocument } from './oauth/client-documents/check-known-documents.ts';
import { reapRecords } from './oauth/reap-records.ts';
import type { PersonListener, RevokedListener } from './revocations.ts';
import { notifyExpiringTokens } from './tokens/notify-expiring-tokens.ts';
import { createOperatorToken, type OperatorTokenRequest } from './tokens/create-operator-token.ts';
import { createThrowAwayAccess, type ThrowAwayAccess } from './tokens/throw-away-access.ts';
import { createFindAccounts, type FindAccounts } from './users/find-accounts.ts';
import { findShutOut } from './users/look-up-users.ts';
import type { UserAdministration } from './users/user-administration.ts';
import type { UserDirectory } from './users/user-directory.ts';
import type { User } from './users/user-store.ts';

/** Users, sign-in, the OAuth server and personal tokens. It tells the rest of the broker who calls. */
export type Identity = {
  /** Identifies callers of the API. */
  guard: Guard;
  /** The caller of the MCP endpoint `resource`, or the challenge for the client. */
  authenticateMcp(authorization: string | undefined, resource: string): Promise<McpAuthentication>;
  /** The same without waiting, for a recently verified caller; undefined means only that they are not remembered. */
  rememberedMcpCaller(authorization: string, resource: string): Caller | undefined;
  /** Seconds that an address must wait after a token was refused. */
  guessWait: GuessLimit;
  /** Owner of a token that was refused at `resource`, and why it was. */
  findTokenOwner: FindTokenOwner;
  findUser(userId: string): Promise<User | undefined>;
  /** Names of programs for the log of a user's calls; see name-clients.ts. */
  nameClients(userId: string, clients: readonly UsedClient[]): Promise<ReadonlyMap<string, string>>;
  /** Names of the connected apps, by grant. */
  namesOfApps(userId: string): Promise<ReadonlyMap<string, string>>;
  recordClientVersion(grantId: string, version: string): Promise<void>;
  /** Features above add their parts of an account's export and deletion here. */
  accountContributors: { add(contributor: AccountContributor): void };
  /** Administration of accounts, for administrators and the operator. */
  users: UserAdministration & {
    find: FindAccounts;
    /** Returns those of these users who are deactivated or deleted. */
    findShutOut(userIds: readonly string[]): Promise<string[]>;
  };
  /** All users, for administrators. */
  directory: UserDirectory;
  /** @param by the operator, for the audit log, when a command asks */
  createPersonalToken(
    request: OperatorTokenRequest,
    by?: { operator: string },
  ): Promise<PersonalToken & { token: string }>;
  /** Access for checks that act as a client. */
  throwAwayAccess: ThrowAwayAccess;
  /** Issuers of the OpenID providers that users sign in with. */
  signInProviders: readonly string[];
  /** Fetches the documents of well-known clients, at most once a minute; undefined when they are not advertised. */
  checkKnownDocuments: (() => Promise<KnownDocument[]>) | undefined;
  /** Calls the listener for each revoked token. Returns a function that removes it. */
  onRevoked(listener: RevokedListener): () => void;
  /** Adds a source of tokens in use here, whose revocation is found even without notices. Returns as onRevoked. */
  followTokens(tokensInUse: () => Iterable<string>): () => void;
  /** Calls the listener when a user is shut out, whose calls must end, or let in again. Returns as onRevoked. */
  onPersonChanged(listener: PersonListener): () => void;
  /** Rotates the signing keys that are due. Called about every hour, on one replica or on all. */
  rotateKeys(): Promise<void>;
  /** Deletes expired and unused records. Called about every hour. */
  reap(): Promise<number>;
  /** Notifies users of tokens that expire soon. Called about every hour. */
  notifyExpiringTokens(): Promise<void>;
  /** Deletes an account again that a restored backup has brought back. */
  deleteRestored(userId: string): Promise<void>;
  /** Mounts all routes. `app` needs the cookie and formbody plugins (buildServer has them). */
  mountRoutes(app: FastifyInstance, router: Router): Promise<void>;
  stop(): Promise<void>;
};

export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { config, clock, ids } = options;
  const { query } = options.db;
  const parts = await createIdentityParts(options);
  const { keys, users, revocations, authorizationServer, authentication } = parts;
  const { tokens, tokenStore, remembered } = authentication;

  return {
    guard: authentication.guard,
    authenticateMcp: authentication.authenticateMcp,
    guessWait: authentication.guessWait,
    rememberedMcpCaller: remembered.find,
    findTokenOwner: createFindTokenOwner({ query, issuer: config.publicUrl, findKey: keys.findKey, clock }),
    findUser: users.find,
    nameClients: (userId, clients) => nameClients(query, userId, clients),
    namesOfApps: (userId) => namesOfGrants(query, userId),
    recordClientVersion: authorizationServer.authorizations.recordVersion,
    accountContributors: { add: parts.contributors.add },
    users: {
      ...parts.administration,
      find: createFindAccounts(query, users.providers),
      findShutOut: (userIds) => findShutOut(query, userIds),
    },
    directory: parts.directory,
    createPersonalToken: (request, by) => createOperatorToken({ users, tokens, clock }, request, by),
    throwAwayAccess: createThrowAwayAccess({ query, store: tokenStore, announce: revocations.announce, clock, ids }),
    signInProviders: parts.signInProviders.all.map(({ issuer }) => issuer),
    checkKnownDocuments: config.clientDocuments.advertised ? authorizationServer.checkKnownDocuments : undefined,
    onRevoked: revocations.subscribe,
    followTokens: revocations.follow,
    onPersonChanged: revocations.subscribeToPeople,
    rotateKeys: keys.rotate,
    reap: () => reapRecords(options.db),
    notifyExpiringTokens: () => notifyExpiringTokens(query, clock.now()),
    deleteRestored: (userId) => deleteRestored(parts.deletion, userId),
    async mountRoutes(app, router) {
      mountIdentity(app, router, options, parts);
    },
    async stop() {
      await authentication.stop();
      await revocations.stop();
      await keys.stop();
      await authorizationServer.close();
    },
  };
}
