import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Api } from './api/serve-api.ts';
import { StripeError } from './api/stripe-error.ts';
import { apiVersion } from './api-version.ts';
import type { Interference } from './interference.ts';
import { newId } from './objects/ids.ts';
import type { PageAnswer, Pages } from './pages/serve-pages.ts';

const maxBodyBytes = 64 * 1024;

export type ServedParts = {
  api: Api;
  pages: Pages;
  interference: Interference;
  onError(error: unknown): void;
};

/** Serves the API at /v1 and the pages at /dev-stripe. Never rejects. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  parts: ServedParts,
): Promise<void> {
  const isPage = request.url?.startsWith('/dev-stripe/') ?? false;
  try {
    await (isPage ? servePage(request, response, parts) : serveApi(request, response, parts));
  } catch (error) {
    parts.onError(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
}

async function serveApi(request: IncomingMessage, response: ServerResponse, parts: ServedParts): Promise<void> {
  const headers = { 'content-type': 'application/json', 'request-id': newId('request'), 'stripe-version': apiVersion };
  try {
    const { status, body, replayOf } = await parts.api.answer(request, await readBody(request), headers['request-id']);
    const path = new URL(request.url ?? '/', 'http://sandbox').pathname;
    // a delayed answer ends with its connection
    await Promise.race([parts.interference.beforeAnswer(request.method ?? 'GET', path), once(response, 'close')]);
    const replayed = replayOf !== undefined && { 'idempotent-replayed': 'true', 'original-request': replayOf };
    response.writeHead(status, { ...headers, ...replayed }).end(body);
  } catch (error) {
    if (!(error instanceof StripeError)) parts.onError(error);
    const answer =
      error instanceof StripeError ? error : new StripeError(500, 'The sandbox failed; see its log.', {}, 'api_error');
    // the rest of an oversized body is not read
    if (answer.status === 413) response.shouldKeepAlive = false;
    response.writeHead(answer.status, headers).end(JSON.stringify(answer.toBody()));
  }
}

async function servePage(request: IncomingMessage, response: ServerResponse, parts: ServedParts): Promise<void> {
  let answer: PageAnswer;
  try {
    answer = await parts.pages.answer(request, await readBody(request));
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    answer = { status: error.status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: error.message };
  }
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

/** @throws StripeError 413 */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new StripeError(413, `Request bodies are limited to ${maxBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
