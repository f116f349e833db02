import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { renderError, retryAfterSeconds } from '#platform/http/answers/error-body.ts';
import { sendAnswer } from '#platform/http/answers/send-answer.ts';
import { jsonRpcError, type JsonRpcError } from '../wire/json-rpc-error.ts';
import { readBody } from './read-body.ts';
import { takeOver } from './take-over.ts';

const invalidRequest = -32600;
const internalError = -32603;

/** Answers a failure before the handler, such as an oversized body, as a JSON-RPC error. */
export function replyFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  answerFailure(error, request, takeOver(reply));
}

/** The same for a request that was taken over from fastify. Closes the connection if the answer has begun. */
export function answerFailure(error: unknown, request: FastifyRequest, response: ServerResponse): void {
  const { status, body } = renderFailure(error, request);
  if (response.headersSent) return void response.destroy();
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(status === 503 && { 'retry-after': String(retryAfterSeconds) }),
  };
  sendAnswer(response, status, headers, JSON.stringify(body));
}

function renderFailure(error: unknown, request: FastifyRequest): { status: number; body: JsonRpcError } {
  const { status, body, unexpected } = renderError(error, request.id);
  if (unexpected) request.log.error({ err: error, requestId: request.id }, 'an MCP request failed');
  const code = status < 500 ? invalidRequest : internalError;
  const { requestId } = body;
  const data = { code: body.code, ...(requestId !== undefined && { requestId }) };
  return { status, body: jsonRpcError(code, body.message, sentBody(request), data) };
}

/** The client's message, if it can be parsed: the answer repeats its id. */
function sentBody({ body }: FastifyRequest): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  const read = readBody(body);
  return 'body' in read ? read.body : undefined;
}
