import * as oidc from 'openid-client';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { redirectUriOf } from './client/client-document.ts';
import { mayUse } from './issuers/known-issuer.ts';
import type { Binding } from './tokens/oauth-client.ts';
import { obtainTokens } from './tokens/obtain-tokens.ts';
import { configuredClient } from './client/operator-secrets.ts';
import type { TakenSignIn } from './pending-sign-ins.ts';
import { secondsAfter } from './tokens/plain-values.ts';
import { readRefusal } from './tokens/read-refusal.ts';
import { forgetRegistration } from './client/registrations.ts';
import { revokeStored, revokeTokens } from './tokens/revoke-tokens.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { SignInProblem } from './sign-in-problem.ts';
import type { Issued } from './tokens/token-answer.ts';
import { accountNameOf, grantedScope, subjectOf, type SealedTokens } from './tokens/tokens.ts';

/** Parameters with which the authorization server sent the browser back. */
export type SignInResponse = {
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
  /** Names the server in the redirect address. */
  server?: string | undefined;
};

/** `enables`: the user was switching the server on. */
export type FinishedSignIn = { server: CatalogueServer; enables: boolean };

/**
 * Finishes a sign-in: take this user's pending sign-in in this browser -> check the answer -> redeem the code -> store
 * the tokens -> revoke those that they replace. `browser` is the secret in the browser's cookie.
 * @throws SoukError sign_in_expired for anything but this user's pending sign-in; sign_in_refused when the user or the
 *   server declined; sign_in_failed when the answer is not valid
 */
export async function finishSignIn(
  { userId, browser }: { userId: string; browser: string | undefined },
  response: SignInResponse,
  catalogue: Catalogue,
  parts: SignInParts,
): Promise<FinishedSignIn> {
  const taken = browser === undefined ? undefined : await parts.pending.take({ userId, browser }, response.state);
  const server = taken && catalogue.snapshot().byId.get(taken.serverId);
  if (!taken || !server) throw new SoukError('sign_in_expired');
  const { name } = server.manifest;

  const address = parts.addressOf(server);
  // A version at another address was deployed meanwhile; the tokens would be for the old address.
  if (address.url !== taken.boundTo) {
    throw new SoukError('sign_in_expired', {
      message: `The address of ${name} has changed since you started. Please start again.`,
    });
  }
  await refuseChangedClient(server, taken.binding, parts);
  refuseOtherIssuer(response, taken, parts, name);
  if (response.error !== undefined || response.code === undefined) {
    const message =
      response.error === 'access_denied'
        ? `You did not allow access to ${name}.`
        : `${name} refused the sign-in (${response.error ?? 'no code'}).`;
    throw new SoukError('sign_in_refused', { message });
  }
  const { binding, redirectUri } = taken;
  const revoke = (issued: Issued) => revokeTokens(server, issued, binding, address, parts);
  try {
    await withSignInFetch(address, async (fetch) => {
      const grant = (configuration: oidc.Configuration) =>
        oidc.authorizationCodeGrant(
          configuration,
          callbackUrl(parts.publicUrl, response),
          { pkceCodeVerifier: taken.verifier, expectedState: response.state },
          { resource: binding.resource },
        );
      await obtainTokens({ binding, fetch, redirectUri, grant, revoke }, async (issued) => {
        const subject = subjectOf(issued, binding);
        const tokens: SealedTokens = {
          accessToken: issued.accessToken,
          ...(issued.refreshToken !== undefined && { refreshToken: issued.refreshToken }),
          binding,
          ...(subject !== undefined && { subject }),
          scope: grantedScope(issued, taken.scopes),
        };
        const replaced = await parts.store.replace(userId, server.id, {
          kind: 'oauth',
          boundTo: taken.boundTo,
          issuer: binding.server.issuer,
          secrets: JSON.stringify(tokens),
          expiresAt: secondsAfter(parts.clock.now(), issued.expiresIn),
          accountName: accountNameOf(issued, binding),
          scopes: taken.scopes,
        });
        if (replaced) revokeStored(replaced, server, parts, tokens);
      });
    });
  } catch (error) {
    parts.log.warn({ err: error, server: server.id }, 'a sign-in at a server failed');
    // the next attempt then registers our client again
    if (readRefusal(error)?.isOfClient) await forgetRegistration(server.id, binding, parts.identity);
    const reason = error instanceof SignInProblem ? `: ${error.message}.` : '. Please try again.';
    throw new SoukError('sign_in_failed', { message: `The sign-in to ${name} failed${reason}`, cause: error });
  }
  await parts.onChanged(userId, server.id);
  return { server, enables: taken.enables };
}

/** Refuses a sign-in if a version with another client or another pin was deployed meanwhile. */
async function refuseChangedClient(server: CatalogueServer, binding: Binding, parts: SignInParts): Promise<void> {
  const { client } = binding;
  const configured = configuredClient(server, parts);
  const isSame = configured ? configured.clientId === client.clientId : client.isOperators !== true;
  if (server.manifest.auth.type === 'oauth' && isSame && (await mayUse(server, binding, parts))) return;
  throw new SoukError('sign_in_expired', {
    message: `How people sign in to ${server.manifest.name} has changed since you started. Please start again.`,
  });
}

/**
 * Refuses an answer of another issuer. An answer, even an error, must name the issuer that was asked (RFC 9207). If the
 * issuer does not name itself, the redirect URI must name the server.
 */
function refuseOtherIssuer(
  { iss, server: named }: SignInResponse,
  { binding, redirectUri }: Pick<TakenSignIn, 'binding' | 'redirectUri'>,
  { publicUrl }: SignInParts,
  name: string,
): void {
  const { issuer, authorization_response_iss_parameter_supported: required } = binding.server;
  const cameTo = redirectUriOf(publicUrl, named === undefined ? undefined : { serverId: named });
  const isFromThere = cameTo === redirectUri;
  if (isFromThere && (iss === issuer || (iss === undefined && required !== true))) return;
  throw new SoukError('sign_in_failed', {
    message: `The answer to the sign-in did not come from where ${name} sent you.`,
  });
}

/** Rebuilds the address to which the browser came back, from the parameters that the page passed on. */
function callbackUrl(publicUrl: string, { state, code, iss }: SignInResponse): URL {
  const url = new URL(redirectUriOf(publicUrl));
  url.search = new URLSearchParams({ state, code: code ?? '', ...(iss !== undefined && { iss }) }).toString();
  return url;
}
