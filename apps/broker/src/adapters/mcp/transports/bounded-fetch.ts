import type { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Dispatcher } from 'undici';
import { GatheredBytes } from '#platform/gathered-bytes.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { bearerParameters } from '#platform/http/outgoing/challenge-header.ts';
import { readRetryAfter } from '#platform/http/outgoing/retry-after.ts';
import { answerTooLarge, refuseDeepJson } from '../wire/answer-limits.ts';
import { withoutMark } from '../wire/byte-order-mark.ts';
import { rewriteEvents } from '../wire/rewrite-events.ts';
import { saysSessionLost } from '../wire/says-session-lost.ts';
import { rewriteServerJson } from '../wire/server-messages.ts';
import { sdkCost } from '../notices/notice-limits.ts';
import { createStreamPace, type Pace } from '../wire/pace.ts';
import { createEventSplitter } from '../wire/sse-events.ts';
import { protocolError, readJsonRpcError } from '../wire/translate-error.ts';
import { UpstreamError } from '../upstream-error.ts';

/** Limit for bodies that are not MCP, which are only read for the log. */
export const maxForeignBytes = 64 * 1024;

/** The exchange that one message of the transport started. */
export type Exchange = {
  /** Whether the answer is an event stream, which arrives after `send` has resolved. */
  streaming: boolean;
  /** Fails the open call immediately, instead of at its timeout, after we ended its stream (too large). */
  fail(error: UpstreamError): void;
};

/**
 * `fetch` for the SDK's transport over our dispatcher. It follows no redirects, decompresses nothing and limits what it
 * reads: a JSON answer as a whole, an event stream by event. These statuses reject with an UpstreamError: 401 (and 403
 * for missing scopes) sign_in_required, 404, 410 and some 400s in a session session_lost, 3xx and non-MCP bodies
 * bad_upstream, 429 busy, 503 unreachable, 502 and 504 closed.
 *
 * @param currentExchange the exchange in whose context fetch was called; undefined for the SDK's own GET and DELETE
 */
export function createBoundedFetch(options: {
  dispatcher: Dispatcher;
  maxResultBytes: number;
  pace: Pace;
  currentExchange: () => Exchange | undefined;
  /** Called when an answer was rewritten: it may have marks instead of numbers (wire/server-messages.ts). */
  onRewritten: () => void;
}): FetchLike {
  return async (input, init) => {
    const url = new URL(input);
    const headers = new Headers(init?.headers);
    const answer = await options.dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: init?.method === 'GET' ? 'GET' : init?.method === 'DELETE' ? 'DELETE' : 'POST',
      headers: Object.fromEntries(headers),
      ...(typeof init?.body === 'string' && { body: init.body }),
      ...(init?.signal && { signal: init.signal }),
    });
    // an aborted or destroyed body emits `error`, which would end the process without a listener
    answer.body.on('error', () => {});
    const status = answer.statusCode;
    const mediaType = mediaTypeOf(answer.headers['content-type']);
    const isJson = mediaType === 'application/json';
    const exchange = options.currentExchange();
    try {
      refuseEncoding(answer.headers);
    } catch (error) {
      answer.body.destroy();
      throw error;
    }

    if (status === 200 && mediaType === 'text/event-stream') {
      if (exchange) exchange.streaming = true;
      return new Response(boundedEvents(answer.body, options, exchange), responseInit(status, answer.headers));
    }
    const body = await readBounded(answer.body, isJson ? options.maxResultBytes : maxForeignBytes, isJson);
    refuseStatus(status, body, { session: headers.has('mcp-session-id'), headers: answer.headers });
    if (status === 200 && exchange && !isJson) {
      throw new UpstreamError('bad_upstream', `answered ${mediaType || 'no content type'} instead of JSON`);
    }
    // a notice or an answer of ours has no reply: any text, null or result from the server is dropped
    if (!exchange && init?.method === 'POST' && status < 300) {
      return new Response(null, responseInit(202, answer.headers));
    }
    const rewritten = isJson && body.length > 0 ? rewriteJson(body, options.onRewritten) : undefined;
    const empty = status === 204 || status === 205 || status === 304;
    return new Response(empty ? null : (rewritten ?? new Uint8Array(body)), responseInit(status, answer.headers));
  };
}

type AnswerHeaders = Record<string, string | string[] | undefined>;

export function mediaTypeOf(contentType: string | string[] | undefined): string {
  const text = Array.isArray(contentType) ? contentType[0] : contentType;
  if (text === 'application/json') return text;
  return (text ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function responseInit(status: number, from: AnswerHeaders): { status: number; headers: Headers } {
  const headers = new Headers();
  for (const name of ['content-type', 'mcp-session-id', 'www-authenticate']) {
    const value = from[name];
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return { status, headers };
}

export function refuseStatus(
  status: number,
  body: Buffer,
  exchange: { session: boolean; headers: AnswerHeaders },
): void {
  const header = exchange.headers['www-authenticate'];
  const wwwAuthenticate = Array.isArray(header) ? header.join(', ') : header;
  if (status === 401 || (status === 403 && isScopeChallenge(wwwAuthenticate))) {
    throw new UpstreamError('sign_in_required', `the server asks for a sign-in (HTTP ${status})`, { wwwAuthenticate });
  }
  if (status >= 300 && status < 400) {
    throw new UpstreamError('bad_upstream', `redirects are not followed (HTTP ${status}${target(exchange.headers)})`);
  }
  if (exchange.session && isSessionLoss(status, body)) {
    throw new UpstreamError('session_lost', `the server no longer knows the session (HTTP ${status})`);
  }
  if (status === 429) {
    const retryAfterMs = readRetryAfter(exchange.headers['retry-after'], Date.now());
    throw new UpstreamError('busy', 'the server takes no more requests for now (HTTP 429)', { retryAfterMs });
  }
  if (status === 503) throw new UpstreamError('unreachable', `HTTP ${status}`);
  // a proxy lost its server, perhaps during the call
  if (status === 502 || status === 504) throw new UpstreamError('closed', `HTTP ${status}`);
  if (status >= 500) {
    const error = readJsonRpcError(body.toString('utf8'));
    throw error
      ? protocolError(error, { inSession: exchange.session })
      : new UpstreamError('bad_upstream', `HTTP ${status}`);
  }
}

/** Names the target of a redirect: mostly the same URL with a slash or https, which the manifest should have. */
function target({ location }: AnswerHeaders): string {
  return typeof location === 'string' && location !== '' ? ` to ${cleanLabel(location.slice(0, 300), 200)}` : '';
}

/** Refuses a compressed answer: the request asked for identity, and nothing here decompresses. */
export function refuseEncoding({ 'content-encoding': encoding }: AnswerHeaders): void {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return;
  const named = cleanLabel(String(encoding).slice(0, 40));
  throw new UpstreamError('bad_upstream', `the answer is compressed (${named}), though the request said identity`);
}

/** Whether a challenge says that the token lacks scopes (RFC 6750, section 3.1): the user must sign in again with more. */
export function isScopeChallenge(wwwAuthenticate: string | undefined): boolean {
  return bearerParameters(wwwAuthenticate).get('error') === 'insufficient_scope';
}

/** Whether an answer means that the session is lost. The specification says 404; SDK 1.x servers answer 400 with a text, others 410. */
function isSessionLoss(status: number, body: Buffer): boolean {
  if (status === 404 || status === 410) return true;
  if (status !== 400) return false;
  const text = body.toString('utf8');
  const error = readJsonRpcError(text);
  return saysSessionLost(error?.code, error?.message ?? text);
}

function rewriteJson(body: Buffer, onRewritten: () => void): string | undefined {
  const text = withoutMark(body.toString('utf8'));
  const first = text.slice(0, 64).trimStart()[0];
  if (first !== '{' && first !== '[')
    throw new UpstreamError('bad_upstream', 'the answer is declared as JSON, but is not');
  const rewritten = rewriteServerJson(text);
  if (rewritten !== undefined) onRewritten();
  return rewritten;
}

/** @param strict a body above the limit is an error; otherwise it is cut off there */
async function readBounded(body: Readable, maxBytes: number, strict: boolean): Promise<Buffer> {
  const gathered = new GatheredBytes();
  for await (const chunk of body) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    if (gathered.length + bytes.length > maxBytes) {
      // leaving the loop destroys the body, and with it the connection
      if (strict) throw answerTooLarge(maxBytes);
      break;
    }
    gathered.add(bytes);
  }
  return gathered.take();
}

type Reading = { maxResultBytes: number; pace: Pace; onRewritten: () => void };

function boundedEvents(body: Readable, limits: Reading, exchange: Exchange | undefined): ReadableStream<Uint8Array> {
  const events = eventsOf(body, limits);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await events.next();
          if (next.done) controller.close();
          else controller.enqueue(next.value);
        } catch (error) {
          if (error instanceof UpstreamError) exchange?.fail(error);
          controller.error(error);
        }
      },
      cancel() {
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* eventsOf(body: Readable, limits: Reading): AsyncGenerator<Uint8Array, void> {
  const splitter = createEventSplitter(limits.maxResultBytes);
  const pace = createStreamPace(limits.pace, sdkCost);
  for await (const chunk of body) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    for (const batch of splitter.push(bytes)) {
      refuseDeepJson(batch.bytes.toString('latin1'));
      const rewritten = rewriteEvents(batch.bytes.toString('utf8'));
      if (rewritten !== undefined) limits.onRewritten();
      yield rewritten === undefined ? new Uint8Array(batch.bytes) : new TextEncoder().encode(rewritten);
      await pace(batch.events, batch.bytes.length);
    }
  }
  const rest = splitter.rest();
  if (rest.length > 0) yield new Uint8Array(rest);
}
