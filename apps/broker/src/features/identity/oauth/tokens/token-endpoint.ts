import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { normalizeRefreshScope } from '../authorize-request.ts';
import type { Authorizations } from '../authorizations.ts';
import type { FrontendCookie } from '../frontend-cookie.ts';
import { nameBrowser } from '../connected-apps/name-browser.ts';
import type { HandOff } from './hand-off-grant.ts';
import type { RefreshReuse } from './refresh-reuse.ts';
import { frontendClientId, mayRequest, type Resources } from '../resources.ts';
import type { TokenRefusal } from './token-refusal.ts';

export type TokenEndpointParts = {
  provider: Provider;
  publicUrl: string;
  resources: Resources;
  reuse: RefreshReuse;
  cookie: FrontendCookie;
  handOff: HandOff;
};

/** The client and the resources of a code or refresh token. */
type Source = { clientId: string; resources: ReadonlySet<string> };

/**
 * Makes the checks that must come before a code is used up or a refresh token is rotated: oidc-provider looks at
 * `resource` only afterwards, and a refused request must not cost the client its sign-in. Rewrites `form` in place: the
 * canonical resource, and the web app's refresh token from its cookie.
 */
export async function checkTokenRequest(
  parts: TokenEndpointParts,
  request: FastifyRequest,
  form: URLSearchParams,
): Promise<TokenRefusal | undefined> {
  const resources = form.getAll('resource').map(parts.resources.canonical);
  form.delete('resource');
  for (const resource of resources) form.append('resource', resource);

  const handOffRefusal = parts.handOff.rewrite(request, form);
  if (handOffRefusal) return handOffRefusal;
  const grantType = form.get('grant_type');
  const isFrontend = form.get('client_id') === frontendClientId;
  const refreshing = grantType === 'refresh_token';
  const { origin } = request.headers;
  // otherwise a form of another site could plant its own sign-in in this browser's cookie
  if (isFrontend && origin !== undefined && origin !== parts.publicUrl) {
    return { status: 403, error: 'invalid_request', description: 'this origin may not use the web client' };
  }
  if (isFrontend && refreshing) {
    const refusal = await useCookie(parts, request, form);
    if (refusal) return refusal;
  }

  const source = await findSource(parts.provider, grantType, form);
  if (!source) return undefined;
  if (refreshing && source.clientId === frontendClientId && !isFrontend) {
    return { status: 400, error: 'invalid_grant', description: 'the web client refreshes with its cookie only' };
  }
  for (const resource of resources) {
    const allowed = mayRequest(source, resource, parts.resources) && source.resources.has(resource);
    if (!allowed)
      return { status: 400, error: 'invalid_target', description: 'this authorization is not for that resource' };
  }
  if (refreshing && !isFrontend) {
    normalizeRefreshScope(form);
    const given = form.get('refresh_token') ?? '';
    const usable = await parts.reuse.resolve(request.raw, given);
    // repeated fields stay repeated, which oidc-provider refuses
    if (usable !== given) form.set('refresh_token', usable);
  }
  return undefined;
}

/** Checks the web app's refresh: our own Origin, the cookie, and a handle, if any, of the same sign-in. */
async function useCookie(
  parts: TokenEndpointParts,
  request: FastifyRequest,
  form: URLSearchParams,
): Promise<TokenRefusal | undefined> {
  if (request.headers.origin !== parts.publicUrl) {
    return { status: 403, error: 'invalid_request', description: 'the Origin header must name this installation' };
  }
  const name = form.get('renewal');
  form.delete('renewal');
  const token = parts.cookie.read(request);
  if (token === undefined) return { status: 400, error: 'invalid_grant', description: 'not signed in in this browser' };
  const found = await parts.provider.RefreshToken.find(token);
  if (found?.grantId === undefined) {
    return { status: 400, error: 'invalid_grant', description: 'the sign-in has ended', clearCookie: true };
  }
  const handle = form.get('refresh_token');
  if (handle !== null && handle !== '' && !parts.cookie.handleNames(handle, found.grantId)) {
    return { status: 400, error: 'invalid_grant', description: 'another sign-in has taken the place of this one' };
  }
  form.set('refresh_token', await parts.reuse.resolveForWeb(request.raw, token, name));
  return undefined;
}

async function findSource(
  provider: Provider,
  grantType: string | null,
  form: URLSearchParams,
): Promise<Source | undefined> {
  const found =
    grantType === 'refresh_token'
      ? await provider.RefreshToken.find(form.get('refresh_token') ?? '')
      : grantType === 'authorization_code'
        ? await provider.AuthorizationCode.find(form.get('code') ?? '')
        : undefined;
  if (found?.clientId === undefined) return undefined;
  return { clientId: found.clientId, resources: new Set([found.resource ?? []].flat()) };
}

/**
 * Adds the spec's camelCase fields to the standard ones, moves the web app's refresh token into its cookie, tells a
 * hand-off whether the ticket belongs to this browser, and records a new authorization. Runs inside oidc-provider,
 * after its answer.
 */
export function extendTokenAnswers(
  provider: Provider,
  { cookie, handOff, authorizations }: { cookie: FrontendCookie; handOff: HandOff; authorizations: Authorizations },
): void {
  provider.use(async (ctx, next) => {
    await next();
    const swap = handOff.findSwap(ctx.req);
    if (swap) ctx.append('set-cookie', handOff.clearedCookie);
    if (ctx.path !== '/oauth/token' || typeof ctx.body !== 'object' || ctx.body === null) return;
    const answer: { access_token?: unknown; refresh_token?: unknown; expires_in?: unknown } = ctx.body;
    if (typeof answer.access_token !== 'string') return;
    await authorizations.begin(ctx.oidc.entities, nameBrowser(ctx.get('user-agent')));
    const grantId = ctx.oidc.entities.Grant?.jti;
    if (
      ctx.oidc.client?.clientId === frontendClientId &&
      typeof answer.refresh_token === 'string' &&
      grantId !== undefined
    ) {
      const isKept = swap !== undefined && swap.keepsSignIn && !swap.sameBrowser;
      if (!isKept) {
        const earlier = ctx.cookies.get(cookie.name, { signed: false });
        if (ctx.oidc.entities.AuthorizationCode && earlier) await endEarlier(grantId, earlier);
        ctx.append('set-cookie', cookie.store(answer.refresh_token));
      }
      answer.refresh_token = cookie.handleFor(grantId);
    }
    ctx.body = {
      ...answer,
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresIn: answer.expires_in,
      ...(swap && { sameBrowser: swap.sameBrowser }),
    };
  });

  /** Ends the browser's previous sign-in, even of another user: it would never be signed out otherwise. */
  async function endEarlier(grantId: string, refreshToken: string): Promise<void> {
    const earlier = await provider.RefreshToken.find(refreshToken);
    if (earlier?.clientId !== frontendClientId || earlier.accountId === undefined) return;
    if (earlier.grantId === undefined || earlier.grantId === grantId) return;
    await authorizations.end(earlier.accountId, earlier.grantId, { replacedBy: grantId });
  }
}
