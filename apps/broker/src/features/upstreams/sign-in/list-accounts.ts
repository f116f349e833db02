import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer, ServerManifest } from '#features/catalogue/index.ts';
import type { StoredAccount } from './account-store.ts';
import { headersBoundTo, needsOwnSecrets } from './credentials.ts';
import { providerName } from './issuers/provider-name.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { headersOf } from './tokens/tokens.ts';

const moved = 'The server has a new address: sign in again.';
const more = 'The server requires more permissions than you granted: sign in again to grant them.';

/** Lists a user's account at each server that needs one, without secrets. */
export async function listAccounts(
  userId: string,
  servers: readonly CatalogueServer[],
  disabled: ReadonlySet<string>,
  parts: SignInParts,
): Promise<UpstreamAccount[]> {
  const stored = new Map((await parts.store.list(userId)).map((one) => [one.serverId, one]));
  const listed = servers.filter(needsOwnSecrets);
  const endpoints = await parts.issuers.lastEndpoints(listed.map(({ id }) => id));
  return listed.map((server) => {
    const account = present(server, stored.get(server.id), !disabled.has(server.id), parts);
    const endpoint = endpoints.get(server.id);
    if (account.auth !== 'oauth' || endpoint === undefined) return account;
    return { ...account, signInAt: providerName(server, new URL(endpoint)) };
  });
}

export function present(
  server: ServerManifest,
  stored: StoredAccount | undefined,
  enabled: boolean,
  parts: SignInParts,
): UpstreamAccount {
  const { auth, name } = server.manifest;
  const common = { serverId: server.id, serverName: name, enabled };
  const nothing = { since: null, lastRefreshedAt: null };
  if (auth.type === 'headers') {
    const mine = stored?.kind === 'headers' && stored.boundTo === headersBoundTo(server) ? stored : undefined;
    const isRefused = mine?.state === 'needs-sign-in';
    const entered = mine && !isRefused ? headersOf(mine) : {};
    const headers = auth.headers
      .filter(({ from }) => from === 'user')
      .map((header) => ({
        name: header.name,
        ...(header.description !== undefined && { description: header.description }),
        present: entered[header.name] !== undefined,
      }));
    const state = headers.every(({ present }) => present) ? 'signed-in' : 'headers-missing';
    const error = mine?.error;
    const since = mine ? { since: mine.signedInAt.toISOString(), lastRefreshedAt: null } : nothing;
    return { ...common, auth: 'headers', state, headers, ...since, ...(error !== undefined && { error }) };
  }
  const mine = stored?.kind === 'oauth' ? stored : undefined;
  if (!mine) return { ...common, auth: 'oauth', state: 'none', headers: [], ...nothing };
  const isMoved = mine.state === 'signed-in' && hasMoved(server, mine, parts);
  const wantsMore = mine.state === 'signed-in' && mine.wantedScopes.length > 0;
  const error = isMoved ? moved : wantsMore ? more : mine.error;
  return {
    ...common,
    auth: 'oauth',
    state: isMoved || wantsMore ? 'needs-sign-in' : mine.state,
    headers: [],
    since: mine.signedInAt.toISOString(),
    lastRefreshedAt: mine.refreshedAt?.toISOString() ?? null,
    ...(mine.issuer !== undefined && { provider: providerName(server, new URL(mine.issuer)) }),
    ...(mine.accountName !== undefined && { account: mine.accountName }),
    ...(error !== undefined && { error }),
  };
}

/** Returns whether the server's address differs from the account's. A service that is not running has not moved. */
export function hasMoved(server: ServerManifest, stored: Pick<StoredAccount, 'boundTo'>, parts: SignInParts): boolean {
  try {
    return parts.addressOf(server).url !== stored.boundTo;
  } catch (error) {
    if (error instanceof UpstreamError) return false;
    throw error;
  }
}
