import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Identity } from '#features/identity/index.ts';
import { bodyParser } from '#platform/http/body-parser.ts';
import { SoukError } from '#platform/errors.ts';
import { putInFront } from '#platform/http/connections/put-in-front.ts';
import { admitRequest, refuseWhileDraining, type Admitted, type CalledLink } from './admit-request.ts';
import { answerFailure, replyFailure } from './answer-failure.ts';
import { sendChallenge } from './challenge.ts';
import { endWithToken } from '#platform/http/end-with-token.ts';
import type { GatewayEvents } from '../gateway-events.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { InFlight } from './in-flight.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import type { McpEndpoint } from '../protocol/mcp-endpoint.ts';
import { parseAccept } from '../wire/parse-accept.ts';
import { visibleTo } from '../view/visible.ts';
import { createFront } from './before-fastify.ts';
import type { FastPath } from '../fast-path/serve-fast.ts';
import { maxMcpBodyBytes, readBody } from './read-body.ts';
import type { RateLimit } from '#platform/rate-limit.ts';
import { secondsToWait, sendTooMany } from './request-rate.ts';
import { methodsOf, requiredScope, stepUpScope } from './required-scope.ts';
import {
  isAcceptable,
  isCompressed,
  linkMethods,
  lacksId,
  otherMethods,
  sendCompressed,
  sendNotAcceptable,
  sendOtherMethod,
} from './taken-requests.ts';
import { takeOver } from './take-over.ts';
import { continuesCalls } from './under-way.ts';

/**
 * The two links: /mcp with everything that a person may use, /s/{serverId}/mcp with one server.
 * Steps of each request: origin -> token -> server (admit-request.ts) -> body -> rate -> scope -> era.
 */
export async function mountGatewayRoutes(
  app: FastifyInstance,
  options: {
    publicUrl: string;
    brandName: string;
    identity: Pick<Identity, 'authenticateMcp' | 'rememberedMcpCaller' | 'waitOfGuesser'>;
    endpoint: McpEndpoint;
    fastPath: FastPath;
    parts: GatewayParts;
    /** The rate, per token, of requests other than tool calls. */
    requestRate: RateLimit;
    isDraining(): boolean;
    /** Answers that are still being written: a stop waits for them. */
    answers: InFlight;
    events: GatewayEvents | undefined;
  },
): Promise<void> {
  const { publicUrl, endpoint, fastPath, parts, events } = options;
  /** What is known of the requests whose body is being read. */
  const admitted = new WeakMap<FastifyRequest, Admitted>();

  async function admit(request: FastifyRequest, reply: FastifyReply, link: CalledLink): Promise<void> {
    try {
      const known = await admitRequest(request, reply, link, options);
      if (known && isCompressed(request)) return sendCompressed(takeOver(reply));
      if (known) admitted.set(request, known);
    } catch (error) {
      // it was taken over from fastify, which no longer answers it
      if (!reply.sent) throw error;
      answerFailure(error, request, reply.raw);
    }
  }

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const known = admitted.get(request);
    if (!known) throw new Error('a request reached its handler without having been admitted');
    const response = takeOver(reply);
    try {
      await serveAdmitted(request, response, known);
    } catch (error) {
      answerFailure(error, request, response);
    }
  }

  /** The steps after the caller is known. */
  async function serveAdmitted(
    request: FastifyRequest,
    response: ServerResponse,
    { context, metadataUrl, ...known }: Admitted,
  ): Promise<void> {
    const read = request.method === 'POST' ? readBody(bytesOf(request.body)) : { body: undefined };
    const body = 'body' in read ? read.body : undefined;
    if (!continuesCalls(body)) refuseWhileDraining(options);
    const retryAfterSeconds = secondsToWait(options.requestRate, context.caller, body);
    if (retryAfterSeconds > 0) return sendTooMany(response, retryAfterSeconds, body);
    if ('code' in read) return sendJsonRpcError(response, 400, read.code, read.message, undefined, read.data);

    if (lacksId(body)) return sendJsonRpcError(response, 400, -32600, 'Invalid Request: a request has an id');

    const mcpRequest = {
      caller: context.caller,
      headers: request.headers,
      body,
      isAnswered: false,
      program: undefined,
    };
    const methods = methodsOf(body);
    const missing = methods.map(requiredScope).find((scope) => scope && !context.caller.scopes.includes(scope));
    if (missing) {
      events?.scopeLacking(mcpRequest, methods[0] ?? '', missing);
      return sendChallenge(
        response,
        { status: 403, error: 'insufficient_scope', scope: stepUpScope(context.caller.scopes, missing) },
        metadataUrl,
      );
    }
    if (!isAcceptable(parseAccept(request.headers.accept), request.method, body)) {
      sendNotAcceptable(response, body);
      return events?.requestServed(mcpRequest, response.statusCode);
    }
    // nobody would be told any more that the client is gone, and there is no one to answer
    if (response.destroyed) return;
    parts.unread.belongs(request.socket, context.caller.userId);
    const isLasting = request.method === 'GET' || methods.includes('subscriptions/listen');
    if (isLasting) endWithToken(response, context.caller, parts.clock);
    // a subscription lasts as long as its client wants; a stop waits for every other request
    else if (request.method === 'POST') {
      response.once('close', options.answers.enter());
    }
    context.request = mcpRequest;
    const visible = known.visible ?? (await visibleTo(context, parts.catalogue.snapshot(), parts.view));
    if (response.destroyed) return;
    const served = fastPath.serve(request.raw, response, context, visible, body, { id: request.id, headers: {} });
    await (served ?? endpoint.handle(request.raw, response, context, body, { requestId: request.id }));
    if (!mcpRequest.isAnswered) events?.requestServed(mcpRequest, response.statusCode);
  }

  function tellTurnedAway({ headers, ip: address, url }: FastifyRequest, error: unknown): void {
    const code = error instanceof SoukError ? error.code : undefined;
    if (code !== 'foreign_host' && code !== 'foreign_origin') return;
    events?.requestTurnedAway({ headers, address, resource: publicUrl + url }, code);
  }

  putInFront(app.server, createFront(options));
  await app.register(async (scope) => {
    scope.addHook('onError', (request, _reply, error, done) => {
      tellTurnedAway(request, error);
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
    // with a slash after it, a link is what it is without
    for (const slash of ['', '/']) {
      scope.route({
        method: linkMethods,
        url: `/mcp${slash}`,
        helmet,
        onRequest: (request, reply) => admit(request, reply, { serverId: undefined, slash }),
        handler: serve,
      });
      scope.route<{ Params: { serverId: string } }>({
        method: linkMethods,
        url: `/s/:serverId/mcp${slash}`,
        helmet,
        onRequest: (request, reply) => admit(request, reply, { serverId: request.params.serverId, slash }),
        handler: serve,
      });
      for (const url of [`/mcp${slash}`, `/s/:serverId/mcp${slash}`]) {
        scope.route({
          method: otherMethods,
          url,
          helmet,
          handler: (_request, reply) => sendOtherMethod(takeOver(reply)),
        });
      }
    }
  });
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
