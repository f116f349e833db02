import type { ServerSignIn } from '@souk/contract/admin/servers.ts';
import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import type { Catalogue, CatalogueServer, ServerManifest } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { confirmIssuer, describeIssuer, registerAgain } from './issuers/administer-issuer.ts';
import { checkNewIssuers } from './issuers/check-new-issuers.ts';
import { createCredentials, headersBoundTo, needsOwnSecrets, type Credentials } from './credentials.ts';
import { disconnect } from './disconnect.ts';
import type { SignInAddress } from './sign-in-address.ts';
import { enterHeaders } from './enter-headers.ts';
import { finishSignIn, type FinishedSignIn, type SignInResponse } from './finish-sign-in.ts';
import { createFreshTokens } from './tokens/fresh-tokens.ts';
import { hasMoved, listAccounts, present } from './list-accounts.ts';
import { describePair } from './issuers/describe-pair.ts';
import type { IssuerPlace } from './issuers/issuer-place.ts';
import { createIssuerStore } from './issuers/issuer-store.ts';
import type { OperatorSecrets } from './client/operator-secrets.ts';
import { createPendingSignIns } from './pending-sign-ins.ts';
import { createRefusedAccounts } from './tokens/refused-accounts.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { startSignIn, type SignInExchange, type StartedSignIn } from './start-sign-in.ts';

/** Each user's accounts at servers that need one: tokens by OAuth, or headers that they enter. */
export type UpstreamSignIn = {
  /** Returns whether a user must sign in at a server before its tools work. Headers have their own screen. */
  isMissing(userId: string, server: CatalogueServer): Promise<boolean>;
  /** Returns whether a user must sign in or enter headers on the server's page before its tools work. */
  needsAccount(userId: string, server: ServerManifest): Promise<boolean>;
  /** @throws SoukError invalid_request, sign_in_unavailable */
  start(userId: string, server: CatalogueServer, exchange: SignInExchange): Promise<StartedSignIn>;
  /** @throws SoukError sign_in_expired, sign_in_refused, sign_in_failed */
  finish(owner: { userId: string; browser: string | undefined }, response: SignInResponse): Promise<FinishedSignIn>;
  enterHeaders(userId: string, server: CatalogueServer, headers: Readonly<Record<string, string>>): Promise<void>;
  list(userId: string, disabled: ReadonlySet<string>): Promise<UpstreamAccount[]>;
  /** Returns, by user, the servers at which they are signed in by OAuth. */
  signedInServers(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Returns false when there was no account. */
  disconnect(userId: string, server: CatalogueServer): Promise<boolean>;
  /** Returns whether an account is of the kind that the server needs, and for its current address. */
  isOf(server: CatalogueServer, account: Pick<StoredAccount, 'kind' | 'boundTo'>): boolean;
  /** Returns where users sign in at a server, for administrators. */
  describeIssuer(server: CatalogueServer): Promise<ServerSignIn>;
  /** @throws SoukError invalid_request, changed_since_shown */
  confirmIssuer(server: CatalogueServer, shown: IssuerPlace, by: { actorId: string }): Promise<void>;
  /** Makes the next sign-in at a server register our client again. */
  registerAgain(server: CatalogueServer, by: { actorId: string }): Promise<void>;
  /** Returns sentences on where users would sign in with a manifest, deployed or not. */
  describePair(server: ServerManifest): Promise<string[]>;
  credentials: Credentials;
  removeExpired(): Promise<void>;
  stop(): Promise<void>;
};

export function createUpstreamSignIn(options: {
  db: Database;
  vault: Vault;
  store: AccountStore;
  catalogue: Catalogue;
  config: Pick<Config, 'publicUrl' | 'brandName'>;
  secrets: OperatorSecrets;
  addressOf(server: ServerManifest): SignInAddress;
  onChanged(userId: string, serverId: string): Promise<void>;
  clock: Clock;
  ids: Ids;
  log: Log;
}): UpstreamSignIn {
  const { catalogue, config } = options;
  const parts: SignInParts = {
    ...options,
    publicUrl: config.publicUrl,
    pending: createPendingSignIns(options),
    issuers: createIssuerStore(options),
    identity: { ...options, publicUrl: config.publicUrl, brandName: config.brandName },
  };
  const refused = createRefusedAccounts(parts);
  const checks = checkNewIssuers(catalogue, parts);
  const isOf = (server: CatalogueServer, account: Pick<StoredAccount, 'kind' | 'boundTo'>) => {
    if (account.kind !== server.manifest.auth.type) return false;
    if (account.kind === 'headers') return account.boundTo === headersBoundTo(server);
    return !hasMoved(server, account, parts);
  };
  return {
    async isMissing(userId, server) {
      if (server.manifest.auth.type !== 'oauth') return false;
      const stored = await parts.store.find(userId, server.id);
      return stored?.state !== 'signed-in' || !isOf(server, stored);
    },
    async needsAccount(userId, server) {
      if (!needsOwnSecrets(server)) return false;
      return present(server, await parts.store.find(userId, server.id), true, parts).state !== 'signed-in';
    },
    isOf,
    start: (userId, server, exchange) => startSignIn(userId, server, exchange, parts),
    finish: (owner, response) => finishSignIn(owner, response, catalogue, parts),
    enterHeaders: (userId, server, headers) => enterHeaders(userId, server, headers, parts),
    list: (userId, disabled) => listAccounts(userId, catalogue.snapshot().servers, disabled, parts),
    signedInServers: (userIds) => parts.store.signedInServers(userIds),
    disconnect: (userId, server) => disconnect(userId, server, parts),
    describeIssuer: (server) => describeIssuer(server, parts),
    confirmIssuer: (server, shown, by) => confirmIssuer(server, shown, by, parts),
    registerAgain: (server, by) => registerAgain(server, by, parts),
    describePair: (server) => describePair(server, parts),
    credentials: createCredentials(parts, createFreshTokens(parts, refused), refused),
    removeExpired: () => parts.pending.removeExpired(),
    stop: () => checks.stop(),
  };
}
