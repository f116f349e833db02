import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Identity } from '#features/identity/index.ts';
import { putInFront } from '#platform/http/put-in-front.ts';
import { admitRequest, type Admitted } from './admit-request.ts';
import { answerFailure, replyFailure } from './answer-failure.ts';
import { sendChallenge } from './challenge.ts';
import { endWithToken } from './end-with-token.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { InFlight } from './in-flight.ts';
import { sendJsonRpcError } from './json-rpc-error.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { visibleTo } from './person.ts';
import { createHotPath } from './plain/hot-path.ts';
import type { PlainPath } from './plain/serve-plain.ts';
import { maxMcpBodyBytes, readBody } from './read-body.ts';
import type { RateLimit } from './rate-limit.ts';
import { secondsToWait, sendTooMany } from './request-rate.ts';
import { methodsOf, requiredScope, stepUpScope } from './required-scope.ts';
import { takeOver } from './take-over.ts';

/**
 * The two links: /mcp with everything that a person may use, /s/{serverId}/mcp with one server.
 * Steps of each request: origin -> token -> server (admit-request.ts) -> body -> rate -> scope -> era.
 */
export async function mountGatewayRoutes(
  app: FastifyInstance,
  options: {
    publicUrl: string;
    identity: Pick<Identity, 'authenticateMcp' | 'rememberedMcpCaller' | 'connectionLog'>;
    endpoint: McpEndpoint;
    plain: PlainPath;
    parts: GatewayParts;
    /** Of requests that are no tool calls, by token. */
    requestRate: RateLimit;
    isDraining(): boolean;
    /** Answers that are still being written: a stop waits for them. */
    answers: InFlight;
  },
): Promise<void> {
  const { publicUrl, identity, endpoint, plain, parts } = options;
  /** Of requests whose body is being read. */
  const admitted = new WeakMap<FastifyRequest, Admitted>();

  async function admit(request: FastifyRequest, reply: FastifyReply, serverId: string | undefined): Promise<void> {
    try {
      const known = await admitRequest(request, reply, serverId, options);
      if (known) admitted.set(request, known);
    } catch (error) {
      // taken over from fastify, nobody else would answer it
      if (!reply.sent) throw error;
      answerFailure(error, request, reply.raw);
    }
  }

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const known = admitted.get(request);
    if (!known) throw new Error('a request came to its handler without having been admitted');
    const response = takeOver(reply);
    try {
      await serveAdmitted(request, response, known);
    } catch (error) {
      answerFailure(error, request, response);
    }
  }

  /** What is left once it is known who asks. */
  async function serveAdmitted(
    request: FastifyRequest,
    response: ServerResponse,
    { person, metadataUrl, ...known }: Admitted,
  ): Promise<void> {
    const read = request.method === 'POST' ? readBody(bytesOf(request.body)) : { body: undefined };
    const body = 'body' in read ? read.body : undefined;
    const retryAfterSeconds = secondsToWait(options.requestRate, person.caller, body);
    if (retryAfterSeconds > 0) return sendTooMany(response, retryAfterSeconds, body);
    if ('code' in read) return sendJsonRpcError(response, 400, read.code, read.message);

    const methods = methodsOf(body);
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
    identity.connectionLog.follow(person.caller, request, response, methods, body);
    const visible = known.visible ?? (await visibleTo(person, parts.catalogue.snapshot(), parts.access));
    const served = plain.serve(request.raw, response, person, visible, body, { id: request.id, headers: {} });
    await (served ?? endpoint.handle(request.raw, response, person, body));
    identity.connectionLog.served(person.caller, request, response.statusCode, body);
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
      onRequest: (request, reply) => admit(request, reply, undefined),
      handler: serve,
    });
    scope.route<{ Params: { serverId: string } }>({
      method: methods,
      url: '/s/:serverId/mcp',
      helmet,
      onRequest: (request, reply) => admit(request, reply, request.params.serverId),
      handler: serve,
    });
  });
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
