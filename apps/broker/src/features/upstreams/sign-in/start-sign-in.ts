import type { FastifyReply } from 'fastify';
import * as oidc from 'openid-client';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { bindToBrowser } from './browser-cookie.ts';
import { buildSignInAddress } from './build-sign-in-address.ts';
import { clientFor } from './client/client-identity.ts';
import type { StoredAccount } from './account-store.ts';
import { discoverSignIn, type SignInMetadata } from './issuers/discover-sign-in.ts';
import { requireKnownIssuer } from './issuers/known-issuer.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import { configuredClient } from './client/operator-secrets.ts';
import { providerName } from './issuers/provider-name.ts';
import { boundedScopes } from './issuers/read-challenge.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { plainReason } from './sign-in-problem.ts';

export type StartedSignIn = { authUrl: string; sessionId: string; provider: string };
export type SignInExchange = {
  reply: FastifyReply;
  /** Whether the end of the sign-in switches the server on, since the page that began it may be closed by then. */
  enables: boolean;
};

/**
 * Begins a user's sign-in at a server: discover -> check that users may be sent there -> find our client -> store the
 * pending sign-in -> return the address for the browser.
 * @throws SoukError invalid_request for a server without OAuth; sign_in_unavailable with the reason
 */
export async function startSignIn(
  userId: string,
  server: CatalogueServer,
  { reply, enables }: SignInExchange,
  parts: SignInParts,
): Promise<StartedSignIn> {
  const { auth, name } = server.manifest;
  if (auth.type !== 'oauth') throw new SoukError('invalid_request', { message: `${name} does not need a sign-in` });
  try {
    return await withSignInFetch(parts.addressOf(server), async (fetch, address) => {
      const { authorizationServer, ...metadata } = await discoverSignIn(address, auth.issuer, fetch);
      const pair = { resource: metadata.resource, server: authorizationServer };
      const configured = configuredClient(server, parts);
      await requireKnownIssuer(server, pair, configured !== undefined, parts);
      const withoutReturn = () => parts.pending.clientsWithoutReturn(userId, server.id);
      const { client, redirectUri } = await clientFor(
        server.id,
        authorizationServer,
        configured,
        parts.identity,
        fetch,
        withoutReturn,
      );
      const binding = { ...pair, client };

      const before = await parts.store.find(userId, server.id);
      const scopes = wantedScopes(auth.scopes, { ...metadata, authorizationServer }, before);

      const state = oidc.randomState();
      const verifier = oidc.randomPKCECodeVerifier();
      const url = await buildSignInAddress({ binding, redirectUri, state, verifier, scopes });
      const browser = bindToBrowser(reply, state, parts);
      const sessionId = await parts.pending.add({ userId, browser }, server.id, state, {
        verifier,
        boundTo: address.url,
        scopes,
        binding,
        redirectUri,
        enables,
      });
      return { authUrl: url.href, sessionId, provider: providerName(server, url) };
    });
  } catch (error) {
    throw asUnavailable(error, server, parts);
  }
}

/**
 * Returns the manifest's scopes, else those that the server asks for; plus those of the user's last sign-in and those that
 * the server has asked for since (SEP-2350); plus offline access if it is offered, for a refresh token.
 */
function wantedScopes(
  ofManifest: readonly string[] | undefined,
  { scopes, authorizationServer }: SignInMetadata,
  before: StoredAccount | undefined,
): string[] {
  // scopes of one issuer have no meaning at another
  const kept = before?.issuer === authorizationServer.issuer ? [...before.scopes, ...before.wantedScopes] : [];
  const offline = authorizationServer.scopes_supported?.includes('offline_access') ?? false;
  const asked = boundedScopes([...(ofManifest ?? scopes), ...kept]);
  return offline ? [...asked.filter((scope) => scope !== 'offline_access'), 'offline_access'] : asked;
}

/** Returns an error with a plain reason for the user; the exact error is in the log. */
function asUnavailable(error: unknown, server: CatalogueServer, { log }: SignInParts): unknown {
  if (error instanceof SoukError) return error;
  log.warn({ err: error, server: server.id }, 'a sign-in at a server cannot be started');
  const reason = plainReason(error) ?? 'it cannot be reached';
  return new SoukError('sign_in_unavailable', {
    message: `You cannot sign in to ${server.manifest.name} right now: ${reason}.`,
    cause: error,
  });
}
