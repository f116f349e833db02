import * as oidc from 'openid-client';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';
import type { StoredAccount } from './account-store.ts';
import { oidcConfiguration } from './oauth-client.ts';
import type { SignInAddress } from './sign-in-address.ts';
import { withSignInFetch, type SignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { sealedTokensSchema, type SealedTokens } from './tokens.ts';

/**
 * Revokes the tokens of an account that is no longer stored. Best effort: never fails.
 * @param kept tokens in their place: a server may have issued the same ones again
 */
export async function revokeStored(
  account: StoredAccount,
  server: CatalogueServer,
  parts: SignInParts,
  kept?: SealedTokens,
): Promise<void> {
  const secrets = account.kind === 'oauth' ? account.open() : undefined;
  if (secrets === undefined) return;
  const tokens = sealedTokensSchema.parse(JSON.parse(secrets));
  await withSignInFetch(addressOf(server, account, parts), (fetch) => revokeTokens(tokens, fetch, parts.log, kept));
}

/** Revokes tokens with a fetch that may reach their server (RFC 7009). Best effort: never fails. */
export async function revokeTokens(
  { binding, refreshToken, accessToken }: SealedTokens,
  fetch: SignInFetch,
  log: Log,
  kept?: SealedTokens,
): Promise<void> {
  if (binding.server.revocation_endpoint === undefined) return;
  const configuration = oidcConfiguration(binding, fetch);
  for (const token of refreshToken === undefined ? [accessToken] : [refreshToken, accessToken]) {
    if (token === kept?.refreshToken || token === kept?.accessToken) continue;
    try {
      await oidc.tokenRevocation(configuration, token);
    } catch (error) {
      log.info({ err: error, issuer: binding.server.issuer }, 'a token could not be revoked');
    }
  }
}

function addressOf(server: CatalogueServer, { boundTo: url }: StoredAccount, parts: SignInParts): SignInAddress {
  try {
    return parts.addressOf(server);
  } catch {
    return { url, allowAddresses: [] }; // the service is not running: there is nothing to tell it
  }
}
