import * as oidc from 'openid-client';
import type { Log } from '#platform/log.ts';
import { oidcConfiguration } from './oauth-client.ts';
import type { SignInFetch } from './sign-in-fetch.ts';
import type { SealedTokens } from './tokens.ts';

/** Tells the authorization server that the tokens are not wanted any more (RFC 7009). Best effort: never fails. */
export async function revokeTokens(
  { binding, refreshToken, accessToken }: SealedTokens,
  fetch: SignInFetch,
  log: Log,
): Promise<void> {
  if (binding.server.revocation_endpoint === undefined) return;
  const configuration = oidcConfiguration(binding, fetch);
  for (const token of refreshToken === undefined ? [accessToken] : [refreshToken, accessToken]) {
    try {
      await oidc.tokenRevocation(configuration, token);
    } catch (error) {
      log.info({ err: error, issuer: binding.server.issuer }, 'a token could not be revoked');
    }
  }
}
