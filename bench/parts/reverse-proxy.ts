// The minimum that a proxy does in Node: node:http in, undici out, bodies as streams, nothing inspected. The
// rest of a gateway's cost is its own.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import { servePart } from '../serve-part.ts';
import { serveHttp } from './listen.ts';

/** Headers of one connection, not of the message (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const connections = 256;

await servePart(async ({ upstream }: { upstream: string }) => {
  const pool = new Pool(upstream, { connections, pipelining: 1, keepAliveTimeout: 600_000 });
  const serving = await serveHttp((request, response) => {
    const { method = 'GET', url = '/' } = request;
    const headers = endToEnd(request.headers);
    delete headers['host'];
    const body = method === 'GET' || method === 'HEAD' ? null : request;
    pool.dispatch({ path: url, method, headers, body }, relayTo(response));
  });
  return {
    ready: serving.ready,
    async stop() {
      await serving.stop();
      await pool.destroy();
      return {};
    },
  };
});

function relayTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client disconnected'));
      });
    },
    onResponseStart(_controller, statusCode, headers) {
      response.writeHead(statusCode, endToEnd(headers));
    },
    onResponseData(controller, chunk) {
      if (response.write(chunk)) return;
      controller.pause();
      response.once('drain', () => controller.resume());
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !hopByHop.has(name)) kept[name] = value;
  }
  return kept;
}
