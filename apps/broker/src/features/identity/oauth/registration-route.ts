import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { renderError } from '#platform/http/answers/error-body.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { allowEveryOrigin, mountPreflight } from '#platform/http/cors.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import {
  publicClientId,
  readClientMetadata,
  type ClientMetadata,
  type RefusedRedirect,
} from './client-documents/client-metadata.ts';
import type { OAuthParts, PassOn } from './oauth-parts.ts';

const maxRegistrationBytes = 16 * 1024;
/** New clients per address: generous, against floods only, because hosted clients share addresses. */
const registrationsPerMinute = 60;
const maxRememberedClients = 10_000;

/** Mounts POST /oauth/register (RFC 7591). @param refusedRedirects records a request's refused redirect addresses */
export function mountRegistrationRoute(
  app: FastifyInstance,
  parts: Pick<OAuthParts, 'clock' | 'brokers'>,
  refusedRedirects: WeakMap<IncomingMessage, readonly RefusedRedirect[]>,
  passOn: PassOn,
): void {
  const secondsToWait = createRegistrationLimit(parts);
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
      return passOn(request, reply, JSON.stringify(read.metadata));
    },
  );
  mountPreflight(app, '/oauth/register');
}

/**
 * Limits new clients. A public client that registers again creates no row, so it is free; everything else counts.
 * @returns a function that answers the seconds to wait, 0 when the client may register
 */
function createRegistrationLimit({ clock, brokers }: Pick<OAuthParts, 'clock' | 'brokers'>) {
  const registrations = createRateLimit(registrationsPerMinute, clock, undefined, brokers);
  const registered = new Set<string>();
  return (metadata: ClientMetadata, address: string): number => {
    const id = metadata.token_endpoint_auth_method === 'none' ? publicClientId(metadata) : undefined;
    if (id !== undefined && registered.has(id)) return 0;
    const from = addressGroup(address);
    if (!registrations.take(from)) return Math.ceil(registrations.waitMs(from) / 1000);
    if (registered.size >= maxRememberedClients) registered.clear();
    if (id !== undefined) registered.add(id);
    return 0;
  };
}

/** Answers a failed registration in OAuth's words alongside ours: its clients read `error` (RFC 7591, 3.2.2). */
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
