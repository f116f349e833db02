import type { FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { endWithToken } from '#platform/http/end-with-token.ts';
import { visibleTo } from '../view/visible.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import { parseAccept } from '../wire/parse-accept.ts';
import { refuseWhileDraining, type Admitted } from './admit-request.ts';
import { sendChallenge } from './challenge.ts';
import type { Door } from './door.ts';
import { readBody } from './read-body.ts';
import { secondsToWait, sendTooMany } from './request-rate.ts';
import { methodsOf, requiredScope, stepUpScope } from './required-scope.ts';
import { isAcceptable, lacksId, sendNotAcceptable } from './taken-requests.ts';
import { continuesCalls } from './under-way.ts';

/** The steps of a request whose caller is known: body -> rate -> scope -> answer type -> era. */
export async function serveAdmitted(
  request: FastifyRequest,
  response: ServerResponse,
  { context, metadataUrl, visible: known }: Admitted,
  { endpoint, fastPath, parts, events, requestRate, answers }: Door,
): Promise<void> {
  const { caller } = context;
  const read = request.method === 'POST' ? readBody(bytesOf(request.body)) : { body: undefined };
  const body = 'body' in read ? read.body : undefined;
  if (!continuesCalls(body)) refuseWhileDraining(parts);
  const retryAfterSeconds = secondsToWait(requestRate, caller, body);
  if (retryAfterSeconds > 0) return sendTooMany(response, retryAfterSeconds, body);
  if ('code' in read) return sendJsonRpcError(response, 400, read.code, read.message, undefined, read.data);

  if (lacksId(body)) return sendJsonRpcError(response, 400, -32600, 'Invalid Request: a request has an id');

  const mcpRequest = { caller, headers: request.headers, body, isAnswered: false, program: undefined };
  const methods = methodsOf(body);
  const missing = methods.map(requiredScope).find((scope) => scope && !caller.scopes.includes(scope));
  if (missing) {
    events?.scopeLacking(mcpRequest, methods[0] ?? '', missing);
    const scope = stepUpScope(caller.scopes, missing);
    return sendChallenge(response, { status: 403, error: 'insufficient_scope', scope }, metadataUrl);
  }
  if (!isAcceptable(parseAccept(request.headers.accept), request.method, body)) {
    sendNotAcceptable(response, body);
    return events?.requestServed(mcpRequest, response.statusCode);
  }
  // the client has hung up, and nothing would notice that from here on
  if (response.destroyed) return;
  parts.unread.belongs(request.socket, caller.userId);
  const isLasting = request.method === 'GET' || methods.includes('subscriptions/listen');
  if (isLasting) endWithToken(response, caller, parts.clock);
  // a subscription lasts as long as its client wants; a stop waits for every other request
  else if (request.method === 'POST') response.once('close', answers.enter());
  context.request = mcpRequest;
  const visible = known ?? (await visibleTo(context, parts.catalogue.snapshot(), parts.view));
  if (response.destroyed) return;
  const served = fastPath.serve(request.raw, response, context, visible, body, { id: request.id, headers: {} });
  await (served ?? endpoint.handle(request.raw, response, context, body, { requestId: request.id }));
  if (!mcpRequest.isAnswered) events?.requestServed(mcpRequest, response.statusCode);
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
