import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { areLimitsHeld } from '../figures/proof-size.ts';
import { answer, send, type Rpc } from './rpc-answer.ts';

/**
 * Faults of a server.
 * - `hang`: accepts the request and never responds; `hang-ping`: does so only with pings; `hang-stream`: begins an
 *   event stream and sends nothing
 * - `html`: 200 with a page; `garbage`: 200 application/json that is not JSON; `not-rpc`: JSON that is not JSON-RPC
 * - `wrong-id`: a response to a request that was never made
 * - `cut-stream`: an event stream that ends without the response; `reset`: the socket is torn down
 * - `progress-flood`, `log-flood`: endless progress of the call, or log messages
 * - `hostile-template`: a link and a template that take a backtracking matcher years
 * - `endless-stream`: endless valid notices; `endless-garbage`: endless invalid events
 * - `huge-json`, `huge-event`: 700 MiB, generated as fast as they are read
 * - `deep-json`, `deep-event`: a result of 200,000 nested arrays
 * - `slow-answer`, `slow-headers`: a byte now and then, endlessly
 * - `tiny-json`, `tiny-event`: a whole response of `tinyChunks` characters, each in a separate chunk
 * - `twice`: the response, and then another one to the same request
 * - `compressed`: a small body that is declared as gzip; `header-bomb`: headers of 1 MiB
 * - `slow-pattern`: a result that takes years to check against the tool's own output schema
 * - `redirect`: 307 to the metadata address of clouds
 * - `unauthorized`, `forbidden`, `unavailable`, `session-lost`: 401 with a challenge, 403, 503, 404
 * - `limited`, `limited-date`: 429 with Retry-After, in seconds and as a date; `limited-silent`: without
 * - `many-tools`: 513 tools; `endless-pages`: a list that never ends; `fat-tool`: a definition of 65 KiB
 * - `fat-list`: 80 definitions of 60 KiB, and one of a few bytes
 * - `dense-tools`: 128 tools whose schemas consist of field names, 1.8 MB where limits are judged
 */
export type Fault =
  | 'none'
  | 'hang'
  | 'hang-ping'
  | 'hang-stream'
  | 'html'
  | 'garbage'
  | 'not-rpc'
  | 'wrong-id'
  | 'cut-stream'
  | 'reset'
  | 'endless-stream'
  | 'progress-flood'
  | 'log-flood'
  | 'hostile-template'
  | 'endless-garbage'
  | 'huge-json'
  | 'huge-event'
  | 'deep-json'
  | 'deep-event'
  | 'slow-answer'
  | 'slow-headers'
  | 'tiny-json'
  | 'tiny-event'
  | 'twice'
  | 'compressed'
  | 'header-bomb'
  | 'slow-pattern'
  | 'redirect'
  | 'unauthorized'
  | 'forbidden'
  | 'unavailable'
  | 'limited'
  | 'limited-date'
  | 'limited-silent'
  | 'session-lost'
  | 'many-tools'
  | 'endless-pages'
  | 'fat-tool'
  | 'fat-list'
  | 'dense-tools';

/** Returns how many characters come in separate chunks: enough to show in memory where that is measured. */
export const tinyChunks = (): number => (areLimitsHeld() ? 1_000_000 : 20_000);

/** Created once: it takes half a second. */
let bomb: Buffer | undefined;

const textAnswer = (id: unknown, length: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(length) }] } });

/** Writes to the socket, since node:http has no chunks of one byte for a text. */
function sendTiny(response: ServerResponse, type: string, text: string, end: string): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
  const bytes = Buffer.from(text + end);
  const chunks = Buffer.alloc(bytes.length * 6, '1\r\n \r\n');
  for (const [at, byte] of bytes.entries()) chunks[at * 6 + 3] = byte;
  response.socket?.write(head);
  response.socket?.write(chunks);
  response.socket?.end('0\r\n\r\n');
}

/** Answers a request with the fault. */
export function misbehave(fault: string, rpc: Rpc, response: ServerResponse): void {
  const id = rpc.id ?? null;
  switch (fault) {
    case 'none':
      return answer(response, id, { content: [{ type: 'text', text: 'fine' }] });
    case 'hang':
      return;
    case 'hang-stream':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    case 'html':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>It works!</h1>');
    case 'garbage':
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc": "2.0", oops');
    case 'not-rpc':
      return send(response, 200, 'application/json', { hello: 'world' });
    case 'wrong-id':
      return answer(response, 424_242, { content: [] });
    case 'cut-stream':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n');
    case 'reset':
      return void response.socket?.resetAndDestroy();
    case 'progress-flood': {
      const params = { progressToken: rpc.progressToken ?? id, progress: 1, message: 'x'.repeat(100) };
      return pour(response, 'text/event-stream', '', sseNotice('progress', params).repeat(100), Infinity);
    }
    case 'log-flood': {
      const params = { level: 'info', data: 'x'.repeat(100) };
      return pour(response, 'text/event-stream', '', sseNotice('message', params).repeat(100), Infinity);
    }
    case 'hostile-template': {
      const link = { type: 'resource_link', uri: `x:${'a'.repeat(2000)}`, name: 'hostile' };
      return answer(response, id, { content: [link] });
    }
    case 'endless-stream':
      return pour(
        response,
        'text/event-stream',
        '',
        sseNotice('message', { level: 'info', data: 'x' }).repeat(100),
        Infinity,
      );
    case 'endless-garbage':
      return pour(response, 'text/event-stream', '', 'data: no JSON\n\n'.repeat(1000), Infinity);
    case 'huge-json': {
      const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
      return pour(response, 'application/json', head, 'x'.repeat(1024 * 1024), 700);
    }
    case 'huge-event': {
      const head = `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
      return pour(response, 'text/event-stream', head, 'x'.repeat(1024 * 1024), 700);
    }
    case 'deep-json':
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(deepAnswer(id));
    case 'deep-event':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${deepAnswer(id)}\n\n`);
    case 'tiny-json':
      return sendTiny(response, 'application/json', textAnswer(id, tinyChunks()), '');
    case 'tiny-event':
      return sendTiny(response, 'text/event-stream', `data: ${textAnswer(id, tinyChunks())}`, '\n\n');
    case 'slow-answer':
      response.writeHead(200, { 'content-type': 'application/json' });
      return drip((byte) => response.write(byte), response);
    case 'slow-headers':
      response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
      return drip((byte) => response.socket?.write(byte), response);
    case 'twice': {
      const event = (text: string) =>
        `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n\n`;
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`${event('first')}${event('second')}`);
    }
    case 'compressed':
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end((bomb ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))));
    case 'header-bomb':
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'x-bomb': 'x'.repeat(1024 * 1024) })
        .end('{}');
    case 'slow-pattern':
      return answer(response, id, { content: [], structuredContent: { text: `${'a'.repeat(60)}!` } });
    case 'redirect':
      return void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    case 'unauthorized':
      return void response
        .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://example.com/.well-known/x"' })
        .end();
    case 'forbidden':
      return void response.writeHead(403).end('no');
    case 'unavailable':
      return void response.writeHead(503).end();
    case 'limited':
      return void response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end('{}');
    case 'limited-date':
      return void response.writeHead(429, { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }).end('too many');
    case 'limited-silent':
      return void response.writeHead(429, { 'retry-after': 'soon' }).end();
    case 'session-lost':
      return send(response, 404, 'application/json', {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_001, message: 'Session not found' },
      });
    default:
      return void response.writeHead(404).end();
  }
}

/** Writes `head` and then `times` blocks, each only when the socket has taken the previous one. */
function pour(response: ServerResponse, contentType: string, head: string, block: string, times: number): void {
  response.writeHead(200, { 'content-type': contentType });
  if (head !== '') response.write(head);
  let left = times;
  const write = () => {
    while (left-- > 0 && !response.destroyed) {
      if (!response.write(block)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
}

/** Sends one byte every 50 ms, until the other side disconnects. */
function drip(write: (byte: string) => unknown, response: ServerResponse): void {
  const timer = setInterval(() => write(' '), 50);
  response.once('close', () => clearInterval(timer));
}

function deepAnswer(id: string | number | null): string {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"deep":${deep}}}}`;
}

function sseNotice(what: 'progress' | 'message', params: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${what}`, params })}\n\n`;
}
