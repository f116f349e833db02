import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Identity } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import { putInFront } from '#platform/http/put-in-front.ts';
import { answerFailure, replyFailure } from './answer-failure.ts';
import { sendChallenge } from './challenge.ts';
import { endWithToken } from './end-with-token.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { InFlight } from './in-flight.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { visibleTo, type Person } from './person.ts';
import { createHotPath } from './plain/hot-path.ts';
import type { PlainPath } from './plain/serve-plain.ts';
import { maxMcpBodyBytes, readBody } from './read-body.ts';
import { methodsOf, requiredScope, stepUpScope } from './required-scope.ts';

/**
 * The two links: /mcp with everything that a person may use, /s/{serverId}/mcp with one server.
 * Steps of each request: origin -> token -> server -> body -> scope -> era.
 */
export async function mountGatewayRoutes(
  app: FastifyInstance,
  options: {
    publicUrl: string;
    identity: Pick<Identity, 'authenticateMcp' | 'rememberedMcpCaller' | 'connectionLog'>;
    endpoint: McpEndpoint;
    plain: PlainPath;
    parts: GatewayParts;
    isDraining(): boolean;
    /** Answers that are still being written: a stop waits for them. */
    answers: InFlight;
  },
): Promise<void> {
  const { publicUrl, identity, endpoint, plain, parts } = options;

  async function serve(request: FastifyRequest, reply: FastifyReply, serverId: string | undefined): Promise<void> {
    checkOrigin(request, publicUrl);
    // A load balancer sends the client to another replica; one alone will be back in a moment.
    if (options.isDraining()) throw new SoukError('unavailable');
    const path = serverId === undefined ? '/mcp' : `/s/${serverId}/mcp`;
    const metadataUrl = `${publicUrl}/.well-known/oauth-protected-resource${path}`;
    const authenticated = await identity.authenticateMcp(request.headers.authorization, `${publicUrl}${path}`);

    // From here on the answer is written by hand or by the SDK; fastify's headers go along.
    reply.hijack();
    const response = reply.raw;
    response.setHeader('x-content-type-options', 'nosniff');
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) response.setHeader(name, value);
    if ('challenge' in authenticated) {
      identity.connectionLog.challenged(request, `${publicUrl}${path}`);
      return sendChallenge(response, authenticated.challenge, metadataUrl);
    }

    const person: Person = { caller: authenticated.caller, serverId };
    try {
      await serveKnown(request, response, person, metadataUrl);
    } catch (error) {
      answerFailure(error, request, response);
    }
  }

  /** What is left once it is known who asks. */
  async function serveKnown(
    request: FastifyRequest,
    response: ServerResponse,
    person: Person,
    metadataUrl: string,
  ): Promise<void> {
    const { serverId } = person;
    const visible = await visibleTo(person, parts.catalogue.snapshot(), parts.access);
    if (serverId !== undefined && visible.servers.length === 0) {
      return sendJsonRpcError(response, 404, -32001, 'Unknown server');
    }
    const read = request.method === 'POST' ? readBody(bytesOf(request.body)) : { body: undefined };
    if ('code' in read) return sendJsonRpcError(response, 400, read.code, read.message);

    const methods = methodsOf(read.body);
    const missing = methods.map(requiredScope).find((scope) => scope && !person.caller.scopes.includes(scope));
    if (missing) {
      identity.connectionLog.lacksScope(person.caller, request, methods[0] ?? '', missing);
      return sendChallenge(
        response,
        { status: 403, error: 'insufficient_scope', scope: stepUpScope(person.caller.scopes, missing) },
        metadataUrl,
      );
    }
    const isLasting = request.method === 'GET' || methods.includes('subscriptions/listen');
    if (isLasting) endWithToken(response, person.caller, parts.clock);
    // A subscription lasts as long as its client wants; every other request has an end to wait for.
    else if (request.method === 'POST') {
      response.once('close', options.answers.enter());
    }
    identity.connectionLog.follow(person.caller, request, response, methods, read.body);
    const served = plain.serve(request.raw, response, person, visible, read.body, {});
    await (served ?? endpoint.handle(request.raw, response, person, read.body));
    identity.connectionLog.served(person.caller, request, response.statusCode, read.body);
  }

  putInFront(app.server, createHotPath(options));
  await app.register(async (scope) => {
    scope.addHook('onError', (request, _reply, error, done) => {
      identity.connectionLog.turnedAway(request, publicUrl + request.url, error);
      done();
    });
    scope.setErrorHandler(replyFailure);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit: maxMcpBodyBytes }, (_request, body, done) =>
      done(null, body),
    );
    const methods = ['GET', 'POST', 'DELETE'];
    // What helmet sets is for pages; here no browser shows anything, and every call would pay for it.
    const helmet = false as const;
    scope.route({
      method: methods,
      url: '/mcp',
      helmet,
      handler: (request, reply) => serve(request, reply, undefined),
    });
    scope.route<{ Params: { serverId: string } }>({
      method: methods,
      url: '/s/:serverId/mcp',
      helmet,
      handler: (request, reply) => serve(request, reply, request.params.serverId),
    });
  });
}

/** A page of another origin may not use a person's browser to reach the link (MCP transports, security warning). */
function checkOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin !== undefined && origin !== publicUrl) throw new SoukError('foreign_origin');
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
