import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { mayRequest } from './create-provider.ts';
import type { Authorizations } from './authorizations.ts';
import type { FrontendCookie } from './frontend-cookie.ts';
import { nameBrowser } from './name-browser.ts';
import type { RefreshRotation } from './refresh-rotation.ts';
import type { WebRenewal } from './web-renewal.ts';
import type { HandOff } from './hand-off-grant.ts';
import { frontendClientId, type Resources } from './resources.ts';

/** Why a request to the token endpoint ends before oidc-provider sees it (RFC 6749, section 5.2; RFC 8707, section 2). */
export type TokenRefusal = {
  status: 400 | 403;
  error: 'invalid_request' | 'invalid_grant' | 'invalid_target';
  description: string;
  clearCookie?: true;
};

export type TokenEndpointOptions = {
  provider: Provider;
  publicUrl: string;
  resources: Resources;
  rotation: RefreshRotation;
  renewal: WebRenewal;
  cookie: FrontendCookie;
  handOff: HandOff;
};

/** What a code or refresh token was issued for. */
type Source = { clientId: string; grantId: string | undefined; resources: ReadonlySet<string> };

/**
 * The checks that must come before a code is used up or a refresh token is rotated: oidc-provider looks at `resource`
 * only afterwards, and a request that is refused must not cost the client its sign-in.
 * Rewrites `form` in place: the canonical resource, and the web app's refresh token from its cookie.
 */
export async function checkTokenRequest(
  options: TokenEndpointOptions,
  request: FastifyRequest,
  form: URLSearchParams,
): Promise<TokenRefusal | undefined> {
  const resources = form.getAll('resource').map(options.resources.canonical);
  form.delete('resource');
  for (const resource of resources) form.append('resource', resource);

  const handOffRefusal = options.handOff.rewrite(request, form);
  if (handOffRefusal) return handOffRefusal;
  const grantType = form.get('grant_type');
  const isFrontend = form.get('client_id') === frontendClientId;
  const refreshing = grantType === 'refresh_token';
  const { origin } = request.headers;
  // A form of another site could otherwise plant its own sign-in in this browser's cookie.
  if (isFrontend && origin !== undefined && origin !== options.publicUrl) {
    return { status: 403, error: 'invalid_request', description: 'this origin may not use the web client' };
  }
  if (isFrontend && refreshing) {
    const refusal = await useCookie(options, request, form);
    if (refusal) return refusal;
  }

  const source = await findSource(options.provider, grantType, form);
  if (!source) return undefined;
  if (refreshing && source.clientId === frontendClientId && !isFrontend) {
    return { status: 400, error: 'invalid_grant', description: 'the web client refreshes with its cookie only' };
  }
  for (const resource of resources) {
    const allowed = mayRequest(source, resource, options.resources) && source.resources.has(resource);
    if (!allowed)
      return { status: 400, error: 'invalid_target', description: 'this authorization is not for that resource' };
  }
  if (refreshing && !isFrontend) await repeatAnswer(options, request, form);
  return undefined;
}

/** A retry of a refresh whose answer was lost is answered again with the same successor. */
async function repeatAnswer({ rotation }: TokenEndpointOptions, request: FastifyRequest, form: URLSearchParams) {
  const repeated = await rotation.findRepeated(form.get('refresh_token') ?? '');
  if (repeated === undefined) return;
  form.set('refresh_token', repeated);
  rotation.markRepeat(request.raw);
}

/** The web app's refresh: our own Origin and the cookie, and a handle, if any, of the same sign-in. */
async function useCookie(
  options: TokenEndpointOptions,
  request: FastifyRequest,
  form: URLSearchParams,
): Promise<TokenRefusal | undefined> {
  if (request.headers.origin !== options.publicUrl) {
    return { status: 403, error: 'invalid_request', description: 'the Origin header must name this installation' };
  }
  const name = form.get('renewal');
  form.delete('renewal');
  const token = options.cookie.read(request);
  if (token === undefined) return { status: 400, error: 'invalid_grant', description: 'not signed in in this browser' };
  const found = await options.provider.RefreshToken.find(token);
  if (found?.grantId === undefined) {
    return { status: 400, error: 'invalid_grant', description: 'the sign-in has ended', clearCookie: true };
  }
  const handle = form.get('refresh_token');
  if (handle !== null && handle !== '' && !options.cookie.handleNames(handle, found.grantId)) {
    return { status: 400, error: 'invalid_grant', description: 'another sign-in has taken the place of this one' };
  }
  const renewed = await options.renewal.begin(request.raw, token, name);
  if (renewed !== undefined) options.rotation.markRepeat(request.raw);
  form.set('refresh_token', renewed ?? token);
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
  const { resource } = found;
  const list = resource === undefined ? [] : Array.isArray(resource) ? resource : [resource];
  return { clientId: found.clientId, grantId: found.grantId, resources: new Set(list) };
}

/** Answers a refusal in the shape of OAuth. */
export function refuseToken(reply: FastifyReply, refusal: TokenRefusal) {
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .send({ error: refusal.error, error_description: refusal.description });
}

/**
 * Adds the spec's camelCase fields beside the standard ones, and moves the web app's refresh token into its cookie. The
 * answer to a hand-off ticket says whether it is of this browser. Also writes a new authorization down. Runs inside
 * oidc-provider, after its own answer.
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

  /**
   * A sign-in takes the place of the one that this browser had, whoever's that was: nobody could use it from here on, and
   * nobody would sign it out.
   */
  async function endEarlier(grantId: string, refreshToken: string): Promise<void> {
    const earlier = await provider.RefreshToken.find(refreshToken);
    if (earlier?.clientId !== frontendClientId || earlier.accountId === undefined) return;
    if (earlier.grantId === undefined || earlier.grantId === grantId) return;
    await authorizations.end(earlier.accountId, earlier.grantId, { replacedBy: grantId });
  }
}
