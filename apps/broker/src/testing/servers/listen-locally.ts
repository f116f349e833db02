import type { Server } from 'node:http';

/**
 * Listens on a free port of 127.0.0.1, or on the given one. `close` drops open connections too. Sockets have no
 * deadlines: on a busy machine, a socket that the server closes as idle may have just been used.
 */
export async function listenLocally(
  server: Server,
  port = 0,
  host = '127.0.0.1',
): Promise<{ port: number; close(): Promise<void> }> {
  server.keepAliveTimeout = 0;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
