import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { renderError } from '#platform/http/answers/error-body.ts';
import { allowEveryOrigin, mountPreflight } from '#platform/http/cors.ts';
import { formText } from '../authorize-request.ts';
import type { limitFailures } from '../limit-failures.ts';
import type { OAuthParts, PassOn } from '../oauth-parts.ts';
import { frontendClientId } from '../resources.ts';
import { findRefusedGrant } from './find-refused-grant.ts';
import type { AccessTokenRevocation } from './revoke-access-token.ts';
import { checkTokenRequest } from './token-endpoint.ts';
import { refuseToken, type TokenRefusal } from './token-refusal.ts';

export function mountTokenRoute(
  app: FastifyInstance,
  parts: OAuthParts,
  failureLimit: ReturnType<typeof limitFailures>,
  passOn: PassOn,
): void {
  app.post('/oauth/token', { onRequest: failureLimit(refuseForNow) }, async (request, reply) => {
    const form = new URLSearchParams(formText(request.body));
    if (form.get('client_id') !== frontendClientId) allowEveryOrigin(reply);
    const refusal = await checkTokenRequest(parts, request, form);
    if (refusal) {
      emitRefusal(parts, form, refusal);
      if (refusal.clearCookie) parts.cookie.clear(reply);
      return refuseToken(reply, refusal);
    }
    return passOn(request, reply, form.toString());
  });
  mountPreflight(app, '/oauth/token');
}

export function mountRevocationRoute(
  app: FastifyInstance,
  { publicUrl, cookie, authorizations }: OAuthParts,
  accessTokenRevocation: AccessTokenRevocation,
  passOn: PassOn,
): void {
  app.post('/oauth/revoke', async (request, reply) => {
    const form = new URLSearchParams(formText(request.body));
    if (form.get('client_id') === frontendClientId) {
      const token = cookie.read(request);
      if (request.headers.origin !== publicUrl || token === undefined) {
        const description = 'the web client revokes with its cookie only';
        return refuseToken(reply, { status: 403, error: 'invalid_request', description });
      }
      form.set('token', token);
      const session = cookie.readSession(request);
      if (session !== undefined) await authorizations.endSession(session);
      cookie.signOut(reply);
    } else {
      allowEveryOrigin(reply);
      await accessTokenRevocation.prepare(request.raw, form);
    }
    return passOn(request, reply, form.toString());
  });
  mountPreflight(app, '/oauth/revoke');
}

function emitRefusal({ events, query }: OAuthParts, form: URLSearchParams, { error }: TokenRefusal): void {
  const value = form.get('code') ?? form.get('refresh_token') ?? undefined;
  events?.tokenRefused({
    error,
    description: undefined,
    isVerifierWrong: false,
    askedResource: form.get('resource') ?? undefined,
    findGrant: () => findRefusedGrant(query, value),
  });
}

/** Answers in OAuth's words alongside ours. */
function refuseForNow(request: FastifyRequest, reply: FastifyReply, retryAfterSeconds: number) {
  const { status, body } = renderError(new SoukError('rate_limited'), request.id);
  allowEveryOrigin(reply);
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('retry-after', String(retryAfterSeconds))
    .send({ ...body, error: 'temporarily_unavailable', error_description: body.message });
}
