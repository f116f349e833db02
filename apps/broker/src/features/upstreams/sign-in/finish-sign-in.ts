import * as oidc from 'openid-client';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { redirectUriOf } from './client-identity.ts';
import { oidcConfiguration, type Binding } from './oauth-client.ts';
import { revokeStored } from './revoke-tokens.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { accountNameOf, expiryOf, type SealedTokens } from './tokens.ts';

/** The parameters with which the authorization server sent the browser back. */
export type SignInResponse = {
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
};

/**
 * Finishes a sign-in: take the pending sign-in of this person in this browser -> check the answer -> redeem the code ->
 * store the tokens -> revoke those that they replace.
 * `browser` is the secret from the browser's cookie.
 * @throws SoukError sign_in_expired for anything but this person's pending sign-in; sign_in_refused when the person or the
 *   server declined; sign_in_failed when the answer is not valid
 */
export async function finishSignIn(
  { userId, browser }: { userId: string; browser: string | undefined },
  response: SignInResponse,
  catalogue: Catalogue,
  parts: SignInParts,
): Promise<CatalogueServer> {
  const taken = browser === undefined ? undefined : await parts.pending.take({ userId, browser }, response.state);
  const server = taken && catalogue.snapshot().byId.get(taken.serverId);
  if (!taken || !server) throw new SoukError('sign_in_expired');
  const { name } = server.manifest;
  const logged = (error: unknown) => parts.log.error({ err: error }, 'tokens that were replaced could not be revoked');

  const address = parts.addressOf(server);
  // A version at another address was deployed meanwhile: the tokens would be for the old one.
  if (address.url !== taken.boundTo) {
    throw new SoukError('sign_in_expired', {
      message: `The address of ${name} has changed since you started. Please start again.`,
    });
  }
  refuseOtherIssuer(response, taken.binding, name);
  if (response.error !== undefined || response.code === undefined) {
    const message =
      response.error === 'access_denied'
        ? `You did not allow access to ${name}.`
        : `${name} refused the sign-in (${response.error ?? 'no code'}).`;
    throw new SoukError('sign_in_refused', { message });
  }
  try {
    await withSignInFetch(address, async (fetch) => {
      const answer = await oidc.authorizationCodeGrant(
        oidcConfiguration(taken.binding, fetch),
        callbackUrl(parts.publicUrl, response),
        { pkceCodeVerifier: taken.verifier, expectedState: response.state },
        { resource: taken.binding.resource },
      );
      const tokens: SealedTokens = {
        accessToken: answer.access_token,
        ...(answer.refresh_token !== undefined && { refreshToken: answer.refresh_token }),
        binding: taken.binding,
      };
      const replaced = await parts.store.replace(userId, server.id, {
        kind: 'oauth',
        boundTo: taken.boundTo,
        issuer: taken.binding.server.issuer,
        secrets: JSON.stringify(tokens),
        expiresAt: expiryOf(answer, parts.clock.now()),
        accountName: accountNameOf(answer),
        scopes: taken.scopes,
      });
      // Not awaited: a server that does not answer must not delay a sign-in that is done.
      if (replaced) void revokeStored(replaced, server, parts, tokens).catch(logged);
    });
  } catch (error) {
    parts.log.warn({ err: error, server: server.id }, 'a sign-in at a server failed');
    throw new SoukError('sign_in_failed', {
      message: `The sign-in to ${name} failed. Please try again.`,
      cause: error,
    });
  }
  await parts.onChanged(userId, server.id);
  return server;
}

/** RFC 9207: an answer that names its issuer, also an error, must name the one that was asked. */
function refuseOtherIssuer({ iss }: SignInResponse, { server }: Binding, name: string): void {
  const required = server.authorization_response_iss_parameter_supported === true;
  if (iss === server.issuer || (iss === undefined && !required)) return;
  throw new SoukError('sign_in_failed', {
    message: `The answer to the sign-in did not come from where ${name} sent you.`,
  });
}

/** The address that the browser came back to, from the parameters that the page passed on. */
function callbackUrl(publicUrl: string, { state, code, iss }: SignInResponse): URL {
  const url = new URL(redirectUriOf(publicUrl));
  url.search = new URLSearchParams({ state, code: code ?? '', ...(iss !== undefined && { iss }) }).toString();
  return url;
}
