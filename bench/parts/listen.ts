import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { Serving } from '../serve-part.ts';

export type HttpReady = { origin: string };

/**
 * Serves on a free loopback port.
 * @param host 0.0.0.0 to answer on all addresses of 127.0.0.0/8, each a server with its own origin
 */
export async function serveHttp(listener: RequestListener, host = '127.0.0.1'): Promise<Serving<HttpReady, object>> {
  // keep-alive connections must outlive the pauses of an interleaved round
  const server = createServer({ keepAliveTimeout: 600_000 }, listener);
  const port = await listen(server, host);
  return {
    ready: { origin: `http://127.0.0.1:${port}` },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return {};
    },
  };
}

/** Listens on a free port and returns it. */
async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
