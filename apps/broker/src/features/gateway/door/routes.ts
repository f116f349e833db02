import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { bodyParser } from '#platform/http/body-parser.ts';
import { putInFront } from '#platform/http/connections/put-in-front.ts';
import { admitRequest, type Admitted, type CalledLink } from './admit-request.ts';
import { answerFailure, replyFailure } from './answer-failure.ts';
import { createFront } from './before-fastify.ts';
import type { Door } from './door.ts';
import { maxMcpBodyBytes } from './read-body.ts';
import { serveAdmitted } from './serve-request.ts';
import { isCompressed, linkMethods, otherMethods, refuseCompressed, refuseOtherMethod } from './taken-requests.ts';
import { takeOver } from './take-over.ts';

/**
 * Mounts the two links: /mcp for everything that a user may use, /s/{serverId}/mcp for one server.
 * Steps of each request: origin -> token -> server (admit-request.ts) -> body -> rate -> scope -> era (serve-request.ts).
 */
export async function mountGatewayRoutes(app: FastifyInstance, door: Door): Promise<void> {
  putInFront(app.server, createFront(door));
  await app.register(async (scope) => {
    scope.addHook('onError', (request, _reply, error, done) => {
      reportTurnedAway(request, error, door);
      done();
    });
    scope.setErrorHandler(replyFailure);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      bodyParser(maxMcpBodyBytes, (bytes) => bytes),
    );
    // helmet's headers are for pages; no browser shows these answers, and every call would pay for them
    const helmet = false as const;
    // a link works with and without a slash at its end
    for (const url of ['/mcp', '/s/:serverId/mcp', '/mcp/', '/s/:serverId/mcp/']) {
      const slash = url.endsWith('/') ? '/' : '';
      scope.route<{ Params: { serverId?: string } }>({
        method: linkMethods,
        url,
        helmet,
        onRequest: (request, reply) => admit(request, reply, { serverId: request.params.serverId, slash }, door),
        handler: (request, reply) => serve(request, reply, door),
      });
      scope.route({
        method: otherMethods,
        url,
        helmet,
        handler: (_request, reply) => refuseOtherMethod(takeOver(reply)),
      });
    }
  });
}

const admitted = new WeakMap<FastifyRequest, Admitted>();

async function admit(request: FastifyRequest, reply: FastifyReply, link: CalledLink, door: Door): Promise<void> {
  try {
    const known = await admitRequest(request, reply, link, door);
    if (known && isCompressed(request)) return refuseCompressed(takeOver(reply));
    if (known) admitted.set(request, known);
  } catch (error) {
    // fastify no longer answers a request that was taken over from it
    if (!reply.sent) throw error;
    answerFailure(error, request, reply.raw);
  }
}

async function serve(request: FastifyRequest, reply: FastifyReply, door: Door): Promise<void> {
  const known = admitted.get(request);
  if (!known) throw new Error('a request reached its handler without having been admitted');
  const response = takeOver(reply);
  try {
    await serveAdmitted(request, response, known, door);
  } catch (error) {
    answerFailure(error, request, response);
  }
}

function reportTurnedAway(
  { headers, ip: address, url }: FastifyRequest,
  error: unknown,
  { parts, events }: Door,
): void {
  const code = error instanceof SoukError ? error.code : undefined;
  if (code !== 'foreign_host' && code !== 'foreign_origin') return;
  events?.requestTurnedAway({ headers, address, resource: parts.publicUrl + url }, code);
}
