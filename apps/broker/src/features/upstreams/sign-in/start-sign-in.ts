import type { FastifyReply } from 'fastify';
import * as oidc from 'openid-client';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { bindToBrowser } from './browser-cookie.ts';
import { clientFor, redirectUriOf } from './client-identity.ts';
import type { StoredAccount } from './account-store.ts';
import { discoverSignIn, type SignInMetadata } from './discover-sign-in.ts';
import { refreshParameters } from './known-providers.ts';
import { oidcConfiguration } from './oauth-client.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import { providerName } from './provider-name.ts';
import { clientIdVariable } from './operator-secrets.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { SignInProblem } from './sign-in-problem.ts';

export type StartedSignIn = { authUrl: string; sessionId: string; provider: string };

/**
 * Begins a person's sign-in at a server: discover -> find our client -> store the pending sign-in -> answer where to send
 * the browser.
 * @throws SoukError invalid_request for a server without OAuth; sign_in_unavailable with the reason
 */
export async function startSignIn(
  userId: string,
  server: CatalogueServer,
  exchange: { reply: FastifyReply },
  parts: SignInParts,
): Promise<StartedSignIn> {
  const { auth, name } = server.manifest;
  if (auth.type !== 'oauth') throw new SoukError('invalid_request', { message: `${name} does not need a sign-in` });
  try {
    return await withSignInFetch(parts.addressOf(server), async (fetch, address) => {
      const metadata = await discoverSignIn(address, fetch);
      const configured = configuredClient(server.id, auth.clientId, parts);
      const variable = clientIdVariable(server.id);
      const client = await clientFor(metadata.authorizationServer, configured, parts.identity, fetch, variable);
      const binding = { server: metadata.authorizationServer, client, resource: metadata.resource };

      const scopes = wantedScopes(auth.scopes, metadata, await parts.store.find(userId, server.id));

      const state = oidc.randomState();
      const verifier = oidc.randomPKCECodeVerifier();
      const browser = bindToBrowser(exchange.reply, state, parts);
      const sessionId = await parts.pending.add({ userId, browser }, server.id, state, {
        verifier,
        boundTo: address.url,
        scopes,
        binding,
      });
      const url = oidc.buildAuthorizationUrl(oidcConfiguration(binding, fetch), {
        redirect_uri: redirectUriOf(parts.publicUrl),
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: metadata.resource,
        ...scopeParameters(scopes),
        ...refreshParameters(metadata.authorizationServer.authorization_endpoint),
      });
      return { authUrl: url.href, sessionId, provider: providerName(server, url) };
    });
  } catch (error) {
    throw asUnavailable(error, server, parts);
  }
}

/** The client that the operator registered there; the environment's, which needs no other manifest, before the manifest's. */
function configuredClient(serverId: string, ofManifest: string | undefined, { secrets }: SignInParts) {
  const clientId = secrets.clientId(serverId) ?? ofManifest;
  return clientId === undefined ? undefined : { clientId, clientSecret: secrets.clientSecret(serverId) };
}

/**
 * The manifest's scopes, else those that the server asks for; plus those of the person's last sign-in there and those that
 * the server has asked for since (SEP-2350); plus offline access where it is offered, for a refresh token.
 */
function wantedScopes(
  ofManifest: readonly string[] | undefined,
  { scopes, authorizationServer }: SignInMetadata,
  before: StoredAccount | undefined,
): string[] {
  // One issuer's scopes mean nothing to another.
  const kept = before?.issuer === authorizationServer.issuer ? [...before.scopes, ...before.wantedScopes] : [];
  const offline = authorizationServer.scopes_supported?.includes('offline_access') ?? false;
  return [...new Set([...(ofManifest ?? scopes), ...kept, ...(offline ? ['offline_access'] : [])])];
}

function scopeParameters(scopes: readonly string[]): Record<string, string> {
  return {
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    // OpenID Connect Core, section 11: offline access requires prompt=consent.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  };
}

/** A reason in plain words for people; the exact error is in the log. */
function asUnavailable(error: unknown, server: CatalogueServer, { log }: SignInParts): unknown {
  if (error instanceof SoukError) return error;
  log.warn({ err: error, server: server.id }, 'a sign-in at a server cannot be started');
  const reason =
    error instanceof SignInProblem
      ? error.message
      : error instanceof UpstreamError
        ? 'it is not running'
        : 'it cannot be reached';
  return new SoukError('sign_in_unavailable', {
    message: `You cannot sign in to ${server.manifest.name} right now: ${reason}.`,
    cause: error,
  });
}
