import { createServer, type ServerResponse } from 'node:http';
import { boundPipelines } from './http/connections/bound-pipelines.ts';
import type { Log } from './log.ts';

/** Prometheus keeps one connection. The others are for manual requests. */
const maxConnections = 16;
/** Counts from the connection on, since idle connections occupy scarce slots. */
const requestTimeoutMs = 5_000;
const checkEveryMs = 1_000;

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves GET /metrics on a separate port, which visitors do not reach. @throws EADDRINUSE and the like */
export async function serveMetrics(options: {
  port: number;
  host: string;
  render(): Promise<string>;
  log: Log;
}): Promise<{ stop(): Promise<void> }> {
  const server = createServer({ connectionsCheckingInterval: checkEveryMs }, (request, response) => {
    request.resume();
    if (request.method !== 'GET' || request.url !== '/metrics') return answer(response, 404, 'GET /metrics\n');
    options.render().then(
      (text) => answer(response, 200, text),
      (error: unknown) => {
        options.log.error({ err: error }, 'the metrics cannot be read');
        answer(response, 500, 'the metrics cannot be read\n');
      },
    );
  });
  boundPipelines(server);
  server.maxConnections = maxConnections;
  server.headersTimeout = requestTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
}
