import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { AccessTokens } from '../authentication/verify-access-token.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { renderError } from '#platform/http/answers/error-body.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { IdentityEvents } from '../identity-events.ts';
import type { UserStore } from '../users/user-store.ts';
import type { Authorizations } from './authorizations.ts';
import { dropUnstorable, normalizeAuthorizeRequest } from './authorize-request.ts';
import { publicClientId, readClientMetadata, type ClientMetadata } from './client-documents/client-metadata.ts';
import { allowEveryOrigin, mountPreflight } from '#platform/http/cors.ts';
import type { FrontendCookie } from './frontend-cookie.ts';
import type { HandOff } from './tokens/hand-off-grant.ts';
import { handOver } from './hand-over.ts';
import { findRefusedGrant } from './tokens/find-refused-grant.ts';
import { limitFailures } from './limit-failures.ts';
import { limitInteractions } from './limit-interactions.ts';
import type { OpenInteractions } from './open-interactions.ts';
import type { RefreshReuse } from './tokens/refresh-reuse.ts';
import type { AccessTokenRevocation } from './tokens/revoke-access-token.ts';
import { frontendClientId, type Resources } from './resources.ts';
import { pageOnFailure, refuseSignIn } from '../sign-in/refuse-sign-in.ts';
import { tellRefusedRedirects } from './tell-refused-redirects.ts';
import { checkTokenRequest } from './tokens/token-endpoint.ts';
import { refuseToken, type TokenRefusal } from './tokens/token-refusal.ts';

const maxRegistrationBytes = 16 * 1024;
/** New clients of one address. Hosted clients share addresses: generous, against floods only. */
const registrationsPerMinute = 60;
const maxRememberedClients = 10_000;
const tooManyOpen =
  'Too many sign-ins were begun from your network and not finished. Finish one of them, or try again in a few minutes.';

export type OAuthRoutesOptions = {
  provider: Provider;
  publicUrl: string;
  brandName: string;
  publicKeys: () => readonly JWK[];
  resources: Resources;
  reuse: RefreshReuse;
  interactions: OpenInteractions;
  cookie: FrontendCookie;
  handOff: HandOff;
  accessTokens: AccessTokens;
  authorizations: Authorizations;
  accessTokenRevocation: AccessTokenRevocation;
  users: UserStore;
  clock: Clock;
  brokers: Pick<LiveBrokers, 'count'>;
  query: Query;
  events: IdentityEvents | undefined;
};

/** The authorization server's endpoints. oidc-provider answers them; what is here comes before it, and each line says why. */
export function mountOAuthRoutes(app: FastifyInstance, options: OAuthRoutesOptions): void {
  const { provider, publicUrl, resources } = options;
  const refusedRedirects = tellRefusedRedirects(provider);
  const handle = provider.callback();
  const onFewFailures = limitFailures(options.clock, options.brokers);
  const beforeAuthorize = onFewFailures((request, reply, retryAfterSeconds) =>
    refuseSignIn(options.brandName, request, reply, { code: 'rate_limited', retryAfterSeconds }),
  );

  const boundInteractions = limitInteractions(options.interactions, (request, reply, retryAfterSeconds) =>
    refuseSignIn(options.brandName, request, reply, { code: 'rate_limited', text: tooManyOpen, retryAfterSeconds }),
  );
  const errorHandler = pageOnFailure(options.brandName);
  app.get('/oauth/authorize', { onRequest: [beforeAuthorize, boundInteractions], errorHandler }, (request, reply) => {
    const url = new URL(request.raw.url ?? '/', publicUrl);
    normalizeAuthorizeRequest(url.searchParams, resources);
    request.raw.url = url.pathname + url.search;
    handOver(handle, publicUrl, request, reply);
  });
  app.get('/oauth/authorize/:uid', { errorHandler }, (request, reply) => handOver(handle, publicUrl, request, reply));

  // Switching accounts in the middle of a sign-in: oidc-provider's page posts here to end the old session.
  app.post('/oauth/logout/confirm', (request, reply) =>
    handOver(handle, publicUrl, request, reply, formText(request.body)),
  );

  app.get('/oauth/jwks', (_request, reply) => {
    allowEveryOrigin(reply);
    return reply.header('cache-control', 'public, max-age=300').send({ keys: options.publicKeys() });
  });

  app.post('/oauth/token', { onRequest: onFewFailures(refuseForNow) }, async (request, reply) => {
    const form = new URLSearchParams(formText(request.body));
    if (form.get('client_id') !== frontendClientId) allowEveryOrigin(reply);
    const refusal = await checkTokenRequest(options, request, form);
    if (refusal) {
      tellRefusal(options, form, refusal);
      if (refusal.clearCookie) options.cookie.clear(reply);
      return refuseToken(reply, refusal);
    }
    return handOver(handle, publicUrl, request, reply, form.toString());
  });
  mountPreflight(app, '/oauth/token');

  app.post('/oauth/revoke', async (request, reply) => {
    const form = new URLSearchParams(formText(request.body));
    if (form.get('client_id') === frontendClientId) {
      const token = options.cookie.read(request);
      if (request.headers.origin !== publicUrl || token === undefined) {
        return refuseToken(reply, {
          status: 403,
          error: 'invalid_request',
          description: 'the web client revokes with its cookie only',
        });
      }
      form.set('token', token);
      const session = options.cookie.readSession(request);
      if (session !== undefined) await options.authorizations.endSession(session);
      options.cookie.signOut(reply);
    } else {
      allowEveryOrigin(reply);
      await options.accessTokenRevocation.prepare(request.raw, form);
    }
    return handOver(handle, publicUrl, request, reply, form.toString());
  });
  mountPreflight(app, '/oauth/revoke');

  const registrations = createRateLimit(registrationsPerMinute, options.clock, undefined, options.brokers);
  const registered = new Set<string>();
  /**
   * The same public client again makes no row, so it is free; everything else counts.
   * @returns the seconds to wait, 0 when the client may register
   */
  function secondsToWait(metadata: ClientMetadata, address: string): number {
    const id = metadata.token_endpoint_auth_method === 'none' ? publicClientId(metadata) : undefined;
    if (id !== undefined && registered.has(id)) return 0;
    const from = addressGroup(address);
    if (!registrations.take(from)) return Math.ceil(registrations.waitMs(from) / 1000);
    if (registered.size >= maxRememberedClients) registered.clear();
    if (id !== undefined) registered.add(id);
    return 0;
  }
  app.post(
    '/oauth/register',
    { bodyLimit: maxRegistrationBytes, errorHandler: refuseRegistration },
    (request, reply) => {
      allowEveryOrigin(reply);
      const read = readClientMetadata(request.body);
      if ('error' in read) {
        return reply
          .code(400)
          .header('cache-control', 'no-store')
          .send({ error: read.error, error_description: read.description });
      }
      const retryAfterSeconds = secondsToWait(read.metadata, request.ip);
      if (retryAfterSeconds > 0) {
        reply.header('retry-after', String(retryAfterSeconds));
        throw new SoukError('rate_limited');
      }
      refusedRedirects.set(request.raw, read.refusedRedirects);
      return handOver(handle, publicUrl, request, reply, JSON.stringify(read.metadata));
    },
  );
  mountPreflight(app, '/oauth/register');

  app.get('/oauth/userinfo', async (request, reply) => {
    const caller = await options.accessTokens.verify(request.headers.authorization, resources.api);
    if (!caller) {
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer error="invalid_token"')
        .send({ error: 'invalid_token' });
    }
    const user = await options.users.find(caller.userId);
    if (!user) throw new SoukError('unauthenticated');
    return {
      sub: user.id,
      email: user.email,
      email_verified: true,
      name: user.displayName,
      ...(user.photoUrl !== undefined && { picture: user.photoUrl }),
    };
  });
}

function tellRefusal({ events, query }: OAuthRoutesOptions, form: URLSearchParams, { error }: TokenRefusal): void {
  const value = form.get('code') ?? form.get('refresh_token') ?? undefined;
  events?.tokenRefused({
    error,
    description: undefined,
    isVerifierWrong: false,
    askedResource: form.get('resource') ?? undefined,
    findGrant: () => findRefusedGrant(query, value),
  });
}

/** In OAuth's words beside ours. */
function refuseForNow(request: FastifyRequest, reply: FastifyReply, retryAfterSeconds: number) {
  const { status, body } = renderError(new SoukError('rate_limited'), request.id);
  allowEveryOrigin(reply);
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('retry-after', String(retryAfterSeconds))
    .send({ ...body, error: 'temporarily_unavailable', error_description: body.message });
}

/** Failures before or around a registration, in OAuth's words beside ours: its clients read `error` (RFC 7591, 3.2.2). */
function refuseRegistration(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const { status, body, unexpected } = renderError(error, request.id);
  if (unexpected) request.log.error({ err: error }, 'a registration failed');
  allowEveryOrigin(reply);
  const isTemporary = status === 429 || status >= 500;
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({
      ...body,
      error: isTemporary ? 'temporarily_unavailable' : 'invalid_client_metadata',
      error_description: body.message,
    });
}

/** The form as it was sent: repeated fields stay repeated, which oidc-provider refuses as RFC 6749 wants. */
function formText(body: unknown): string {
  const form = new URLSearchParams();
  if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
    }
  }
  dropUnstorable(form);
  return form.toString();
}
