import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Gives each request to a handler before the framework, which gets it when the handler calls `next`. For paths on which the
 * framework's own work would be a good part of the cost.
 */
export function putInFront(
  server: Server,
  front: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): void {
  const behind = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) =>
    front(request, response, () => {
      for (const listener of behind) listener.call(server, request, response);
    }),
  );
}
