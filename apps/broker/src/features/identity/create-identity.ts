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
import { noteExpiringTokens } from './tokens/note-expiring-tokens.ts';
import { createOperatorToken, type OperatorTokenRequest } from './tokens/create-operator-token.ts';
import { createThrowAwayAccess, type ThrowAwayAccess } from './tokens/throw-away-access.ts';
import { createFindAccounts, type FindAccounts } from './users/find-accounts.ts';
import { findShutOut } from './users/look-up-users.ts';
import type { UserAdministration } from './users/user-administration.ts';
import type { UserDirectory } from './users/user-directory.ts';
import type { User } from './users/user-store.ts';

/** Users, sign-in, the OAuth server and personal tokens. The rest of the broker asks it who calls. */
export type Identity = {
  /** Who calls the API. */
  guard: Guard;
  /** Who calls the MCP endpoint `resource`, or what to challenge the client with. */
  authenticateMcp(authorization: string | undefined, resource: string): Promise<McpAuthentication>;
  /** The same at once, for a caller of a moment ago; undefined says only that they are not remembered. */
  rememberedMcpCaller(authorization: string, resource: string): Caller | undefined;
  /** How long the address of a request must wait whose token was refused, in seconds. */
  waitOfGuesser: GuessLimit;
  /** Whose token was refused at `resource`, and why. */
  findTokenOwner: FindTokenOwner;
  findUser(userId: string): Promise<User | undefined>;
  /** Names for the log of a person's calls; see name-clients.ts. */
  nameClients(userId: string, clients: readonly UsedClient[]): Promise<ReadonlyMap<string, string>>;
  /** The names of the apps that are connected now, by grant. */
  namesOfApps(userId: string): Promise<ReadonlyMap<string, string>>;
  /** A connected app told its version. */
  noteClientVersion(grantId: string, version: string): Promise<void>;
  /** What features above keep about a person joins the export and the deletion of an account here. */
  accountContributors: { add(contributor: AccountContributor): void };
  /** What administrators, and the operator, do with accounts. */
  users: UserAdministration & {
    find: FindAccounts;
    /** Which of these people are shut out, or deleted. */
    shutOutOf(userIds: readonly string[]): Promise<string[]>;
  };
  /** Everyone, for administrators. */
  directory: UserDirectory;
  /** @param by the operator who asks by a command, for the audit log */
  createPersonalToken(
    request: OperatorTokenRequest,
    by?: { operator: string },
  ): Promise<PersonalToken & { token: string }>;
  /** For checks that act as a client does. */
  throwAwayAccess: ThrowAwayAccess;
  /** Addresses of the OpenID providers by which people sign in. */
  signInProviders: readonly string[];
  /**
   * Fetches the documents of well-known clients, once a minute at most; undefined where clients are not told of documents.
   */
  checkKnownDocuments: (() => Promise<KnownDocument[]>) | undefined;
  /** Calls the listener for each token that is revoked. @returns a function that takes it off again */
  onRevoked(listener: RevokedListener): () => void;
  /** Names tokens that have something open here: their revocation is found even while no notices come. @returns as onRevoked */
  followTokens(tokensInUse: () => Iterable<string>): () => void;
  /** Calls the listener for each person who is shut out, whose calls must end, or let in again. @returns as onRevoked */
  onPersonChanged(listener: PersonListener): () => void;
  /** Moves the signing keys on as their age requires: to be called every hour or so, on one replica or on all. */
  rotateKeys(): Promise<void>;
  /** Deletes records that have no meaning any more: to be called every hour or so. */
  reap(): Promise<number>;
  /** Tells people of tokens that expire soon: to be called every hour or so. */
  noteExpiringTokens(): Promise<void>;
  /** Deletes an account again that a restored backup has brought back. */
  deleteRestored(userId: string): Promise<void>;
  /** Mounts everything of identity. `app` needs the cookie and formbody plugins (buildServer has them). */
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
    waitOfGuesser: authentication.waitOfGuesser,
    rememberedMcpCaller: remembered.find,
    findTokenOwner: createFindTokenOwner({ query, issuer: config.publicUrl, findKey: keys.findKey, clock }),
    findUser: users.find,
    nameClients: (userId, clients) => nameClients(query, userId, clients),
    namesOfApps: (userId) => namesOfGrants(query, userId),
    noteClientVersion: authorizationServer.authorizations.noteVersion,
    accountContributors: { add: parts.contributors.add },
    users: {
      ...parts.administration,
      find: createFindAccounts(query, users.providers),
      shutOutOf: (userIds) => findShutOut(query, userIds),
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
    noteExpiringTokens: () => noteExpiringTokens(query, clock.now()),
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
