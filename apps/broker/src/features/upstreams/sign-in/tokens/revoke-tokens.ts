import * as oidc from 'openid-client';
import type { ServerManifest } from '#features/catalogue/index.ts';
import type { StoredAccount } from '../account-store.ts';
import { mayUse } from '../issuers/known-issuer.ts';
import { oidcConfiguration, type Binding } from './oauth-client.ts';
import type { SignInAddress } from '../sign-in-address.ts';
import { withSignInFetch } from '../sign-in-fetch.ts';
import type { SignInParts } from '../sign-in-parts.ts';
import { sealedTokensSchema } from './tokens.ts';

/** Deadline of all requests of one revocation, which runs in the background. */
const deadlineMs = 2_000;

type Tokens = { accessToken: string; refreshToken?: string | undefined };

/**
 * Revokes the tokens of a removed account in the background.
 * @param kept tokens that replace them and stay valid: a server may have issued the same ones again
 */
export function revokeStored(account: StoredAccount, server: ServerManifest, parts: SignInParts, kept?: Tokens): void {
  const secrets = account.kind === 'oauth' ? account.open() : undefined;
  if (secrets === undefined) return;
  const { binding, ...tokens } = sealedTokensSchema.parse(JSON.parse(secrets));
  revokeTokens(server, tokens, binding, addressOf(server, account, parts), parts, kept);
}

/** Revokes tokens in the background (RFC 7009). Best effort: failures are logged. */
export function revokeTokens(
  server: ServerManifest,
  tokens: Tokens,
  binding: Binding,
  address: SignInAddress,
  parts: SignInParts,
  kept?: Tokens,
): void {
  const { log } = parts;
  const { issuer } = binding.server;
  revokeEach(server, tokens, binding, address, parts, kept).catch((error: unknown) => {
    log.info({ err: error, issuer }, 'tokens could not be revoked');
  });
}

async function revokeEach(
  server: ServerManifest,
  { accessToken, refreshToken }: Tokens,
  binding: Binding,
  address: SignInAddress,
  parts: SignInParts,
  kept: Tokens | undefined,
): Promise<void> {
  if (binding.server.revocation_endpoint === undefined || !(await mayUse(server, binding, parts))) return;
  const isKept = (token: string) => token === kept?.refreshToken || token === kept?.accessToken;
  await withSignInFetch(
    address,
    async (fetch) => {
      const configuration = oidcConfiguration(binding, fetch);
      for (const token of refreshToken === undefined ? [accessToken] : [refreshToken, accessToken]) {
        if (isKept(token)) continue;
        try {
          await oidc.tokenRevocation(configuration, token);
        } catch (error) {
          parts.log.info({ err: error, issuer: binding.server.issuer }, 'a token could not be revoked');
        }
      }
    },
    deadlineMs,
  );
}

function addressOf(server: ServerManifest, { boundTo: url }: StoredAccount, parts: SignInParts): SignInAddress {
  try {
    return parts.addressOf(server);
  } catch {
    return { url, allowAddresses: [] }; // the service is not running, so no request reaches it
  }
}
