import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { WebSocketServer } from 'ws';
import { maxRequestBytes } from './mcp-http.ts';
import { identifyCaller, refuseForeign, type Refusal, type ServiceCaller } from './request-gate.ts';
import { WebSocketServerTransport } from './web-socket-transport.ts';

const subprotocol = 'mcp';
const maxConnections = 256;

export type WebSocketEndpoint = { close(): void };

/**
 * Serves MCP at `path` over WebSocket, for both protocol eras: the first message decides which. Despite its name, the SDK's
 * `serveStdio` works with any transport of plain messages; standard input and output are its default.
 * A connection belongs to the user named in its handshake.
 */
export function serveMcpWebSocket(
  server: Server,
  options: { path: string; secret: string | undefined; createServer: (caller: ServiceCaller) => McpServer },
): WebSocketEndpoint {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxRequestBytes,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  });

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const foreign = refuseForeign(request.headers);
    if (foreign) return refuseUpgrade(socket, foreign);
    const caller = identifyCaller(request.headers, options.secret);
    if ('status' in caller) return refuseUpgrade(socket, caller);
    if (URL.parse(request.url ?? '', 'ws://localhost')?.pathname !== options.path) {
      return refuseUpgrade(socket, { status: 404, message: `MCP is at ${options.path}.` });
    }
    if (!offered.includes(subprotocol)) {
      return refuseUpgrade(socket, { status: 400, message: `Request the subprotocol ${subprotocol}.` });
    }
    if (sockets.clients.size >= maxConnections) {
      return refuseUpgrade(socket, { status: 503, message: 'Too many connections.' });
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serveStdio(() => options.createServer(caller), { transport: new WebSocketServerTransport(webSocket) });
    });
  });

  return {
    close() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}

function refuseUpgrade(socket: Duplex, { status, message }: Refusal): void {
  const body = JSON.stringify({ error: message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
