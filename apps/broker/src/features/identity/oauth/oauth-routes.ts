import type { FastifyInstance } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { formText, normalizeAuthorizeRequest } from './authorize-request.ts';
import { allowEveryOrigin } from '#platform/http/cors.ts';
import { handOver } from './hand-over.ts';
import { limitFailures } from './limit-failures.ts';
import { limitInteractions } from './limit-interactions.ts';
import type { OAuthParts, PassOn } from './oauth-parts.ts';
import { mountRegistrationRoute } from './registration-route.ts';
import { pageOnFailure, refuseSignIn } from '../sign-in/refuse-sign-in.ts';
import { reportRefusedRedirects } from './report-refused-redirects.ts';
import { createAccessTokenRevocation } from './tokens/revoke-access-token.ts';
import { mountRevocationRoute, mountTokenRoute } from './tokens/token-routes.ts';

const tooManyOpen =
  'Too many sign-ins were begun from your network and not finished. Finish one of them, or try again in a few minutes.';

/** Mounts the authorization server's endpoints, which oidc-provider answers after the steps here. */
export function mountOAuthRoutes(app: FastifyInstance, parts: OAuthParts): void {
  const { provider, publicUrl } = parts;
  // these add to oidc-provider's answers, so they come before its callback is built
  const accessTokenRevocation = createAccessTokenRevocation(parts);
  const refusedRedirects = reportRefusedRedirects(provider);
  const handle = provider.callback();
  const passOn: PassOn = (request, reply, body) => handOver(handle, publicUrl, request, reply, body);
  const failureLimit = limitFailures(parts.clock, parts.brokers);
  mountAuthorizeRoutes(app, parts, failureLimit, passOn);
  app.get('/oauth/jwks', (_request, reply) => {
    allowEveryOrigin(reply);
    return reply.header('cache-control', 'public, max-age=300').send({ keys: parts.publicKeys() });
  });
  mountTokenRoute(app, parts, failureLimit, passOn);
  mountRevocationRoute(app, parts, accessTokenRevocation, passOn);
  mountRegistrationRoute(app, parts, refusedRedirects, passOn);
  mountUserinfoRoute(app, parts);
}

function mountAuthorizeRoutes(
  app: FastifyInstance,
  { brandName, publicUrl, resources, interactions }: OAuthParts,
  failureLimit: ReturnType<typeof limitFailures>,
  passOn: PassOn,
): void {
  const boundFailures = failureLimit((request, reply, retryAfterSeconds) =>
    refuseSignIn(brandName, request, reply, { code: 'rate_limited', retryAfterSeconds }),
  );
  const boundInteractions = limitInteractions(interactions, (request, reply, retryAfterSeconds) =>
    refuseSignIn(brandName, request, reply, { code: 'rate_limited', text: tooManyOpen, retryAfterSeconds }),
  );
  const errorHandler = pageOnFailure(brandName);
  app.get('/oauth/authorize', { onRequest: [boundFailures, boundInteractions], errorHandler }, (request, reply) => {
    const url = new URL(request.raw.url ?? '/', publicUrl);
    normalizeAuthorizeRequest(url.searchParams, resources);
    request.raw.url = url.pathname + url.search;
    passOn(request, reply);
  });
  app.get('/oauth/authorize/:uid', { errorHandler }, (request, reply) => passOn(request, reply));

  // oidc-provider's page posts here to end the old session when the user switches accounts during a sign-in
  app.post('/oauth/logout/confirm', (request, reply) => passOn(request, reply, formText(request.body)));
}

function mountUserinfoRoute(app: FastifyInstance, { accessTokens, resources, users }: OAuthParts): void {
  app.get('/oauth/userinfo', async (request, reply) => {
    const caller = await accessTokens.verify(request.headers.authorization, resources.api);
    if (!caller) {
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer error="invalid_token"')
        .send({ error: 'invalid_token' });
    }
    const user = await users.find(caller.userId);
    if (!user) throw new SoukError('unauthenticated');
    return {
      sub: user.id,
      email: user.email,
      email_verified: true,
      name: user.displayName,
      ...(user.photoUrl !== null && { picture: user.photoUrl }),
    };
  });
}
