import type { UpstreamCredential } from '#adapters/mcp/target.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';
import type { StoredAccount } from './account-store.ts';
import type { SignInAddress } from './sign-in-address.ts';
import type { FreshTokens } from './tokens/fresh-tokens.ts';
import { readChallenge, scopesOf } from './issuers/read-challenge.ts';
import type { RefusedAccounts } from './tokens/refused-accounts.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { headersOf } from './tokens/tokens.ts';

const bearer = 'authorization';

/** Returns the credential that requests to a server carry for one user (undefined: for discovery and health checks). */
export type Credentials = (
  server: ServerManifest,
  userId: string | undefined,
  address: SignInAddress,
) => UpstreamCredential | undefined;

/** Returns whether a server needs an account of each user. If so, users never share secrets or connections. */
export function needsOwnSecrets({ manifest: { auth } }: ServerManifest): boolean {
  return auth.type === 'oauth' || (auth.type === 'headers' && auth.headers.some(({ from }) => from === 'user'));
}

export function createCredentials(parts: SignInParts, tokens: FreshTokens, refused: RefusedAccounts): Credentials {
  return (server, userId, address) => {
    const { auth } = server.manifest;
    if (auth.type === 'none') return undefined;
    if (auth.type === 'headers') {
      const headers = () => headersFor(server, auth.headers, userId, parts, refused);
      // a refusal does not say which header is wrong, the user's or the operator's
      const areAllTheirs = auth.headers.every(({ from }) => from === 'user');
      if (userId === undefined || !areAllTheirs) return { headers };
      return {
        headers,
        renew: async (given) => given,
        giveUp: (given) => refuse(userId, server, given, parts, refused),
        accepted: () => refused.accepted(userId, server.id),
      };
    }
    // Discovery and health checks have no token. A server that answers these with 401 works.
    if (userId === undefined) return undefined;
    const asHeaders = (token: string) => ({ [bearer]: `Bearer ${token}` });
    const tokenIn = (headers: Record<string, string>) => (headers[bearer] ?? '').slice('Bearer '.length);
    return {
      headers: async () => asHeaders(await tokens.current(userId, { server, address })),
      async renew(given) {
        const token = await tokens.renew(userId, { server, address }, tokenIn(given));
        return token === undefined ? undefined : asHeaders(token);
      },
      async wantScopes(challenge) {
        const account = await parts.store.find(userId, server.id);
        const wanted = scopesOf(readChallenge(challenge).scope);
        if (account?.kind === 'oauth') await parts.store.wantScopes(account, wanted);
      },
      giveUp: (given) => tokens.giveUp(userId, server.id, tokenIn(given)),
      accepted: () => refused.accepted(userId, server.id),
    };
  };
}

/**
 * Marks an account whose headers the server refused twice in a row. Otherwise the server would show as connected,
 * without tools.
 */
async function refuse(
  userId: string,
  server: ServerManifest,
  given: Readonly<Record<string, string>>,
  parts: SignInParts,
  refused: RefusedAccounts,
): Promise<void> {
  const account = await parts.store.find(userId, server.id);
  if (account?.kind !== 'headers' || account.state !== 'signed-in') return;
  const entered = headersOf(account);
  // the user may have entered another value meanwhile
  if (Object.entries(given).some(([name, value]) => entered[name] !== value)) return;
  await refused.refuse(account, 'The server refuses what you entered. Enter it again.');
}

async function headersFor(
  server: ServerManifest,
  wanted: readonly { name: string; from: 'operator' | 'user' }[],
  userId: string | undefined,
  { store, secrets }: SignInParts,
  refused: RefusedAccounts,
): Promise<Record<string, string>> {
  const own = wanted.filter(({ from }) => from === 'user');
  const stored = userId === undefined || own.length === 0 ? undefined : await store.find(userId, server.id);
  if (stored) refused.tried(stored);
  const entered = enteredHeaders(server, stored);
  const headers: Record<string, string> = {};
  for (const { name, from } of wanted) {
    if (from === 'operator') headers[name] = secrets.header(server, name);
    else if (entered[name] !== undefined) headers[name] = entered[name];
    // Discovery and health checks omit the header: the server's own 401 shows that it works.
    else if (userId !== undefined) throw new UpstreamError('sign_in_required', `${server.id} needs the header ${name}`);
  }
  return headers;
}

/** Returns the headers that a user entered for the server at its current address. */
export function enteredHeaders(server: ServerManifest, stored: StoredAccount | undefined): Record<string, string> {
  return stored?.kind === 'headers' && stored.boundTo === headersBoundTo(server) ? headersOf(stored) : {};
}

/** Returns the address that headers are bound to: a manifest with another address cannot send them there. */
export function headersBoundTo({ manifest: { connection } }: ServerManifest): string {
  return connection.type === 'stdio' ? `stdio:${connection.command}` : connection.url;
}
