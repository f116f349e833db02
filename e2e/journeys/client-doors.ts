import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { testCertificate, testCertificateKey } from '../../apps/broker/src/testing/servers/client-example-tls.ts';

export type ClientDoor = {
  redirectUri: string;
  /** Resolves with the address to which the browser returned. */
  callback(): Promise<URL>;
};
export type ClientDoors = { loopback: ClientDoor; https: ClientDoor; close(): Promise<void> };

/**
 * Starts the callback addresses of two MCP clients, to which a browser returns after a sign-in: one on this machine,
 * one on the web.
 */
export async function startClientDoors(): Promise<ClientDoors> {
  const [loopback, https] = await Promise.all([
    openDoor('http', (handle) => createServer(handle)),
    openDoor('https', (handle) => createTlsServer({ cert: testCertificate, key: testCertificateKey }, handle)),
  ]);
  return {
    loopback,
    https,
    async close() {
      await Promise.all([loopback.close(), https.close()]);
    },
  };
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function openDoor(scheme: 'http' | 'https', create: (handle: Handle) => Server) {
  const waiting: ((url: URL) => void)[] = [];
  const arrived: URL[] = [];
  const server = create((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri);
    response.end('Back at the client');
    if (url.pathname !== '/callback') return;
    const next = waiting.shift();
    if (next) next(url);
    else arrived.push(url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const redirectUri = `${scheme}://127.0.0.1:${port}/callback`;
  return {
    redirectUri,
    async callback() {
      return arrived.shift() ?? new Promise<URL>((resolve) => waiting.push(resolve));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
