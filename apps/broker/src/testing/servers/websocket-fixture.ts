import { createServer } from 'node:http';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { WebSocketServer, type WebSocket } from 'ws';
import { listenLocally } from './listen-locally.ts';
import { changedTools, createFixtureServer, fixtureTools, promisingTools, type Seen } from './mcp-fixture.ts';

/** Faults of the fixture's connection; the text after the last slash of its address. */
export type WebSocketFault =
  | 'healthy'
  | 'legacy'
  | 'hang'
  | 'binary'
  | 'garbage'
  | 'huge'
  | 'drops-calls'
  | 'changes-tools'
  | 'wrong-results'
  | 'unauthorized'
  | 'redirect'
  | 'other-subprotocol'
  | 'ignores-close';

export type WebSocketFixture = {
  url(fault: WebSocketFault): string;
  address: string;
  seen: Seen;
  /** Headers of the last handshake. */
  lastHandshake: Record<string, string | string[] | undefined>;
  openSockets(): number;
  close(): Promise<void>;
};

/** Starts MCP over WebSocket, honest or with one fault, on a free port. */
export async function startWebSocketFixture(): Promise<WebSocketFixture> {
  const seen: Seen = { cancelled: [], requests: [] };
  const state = { seen, tools: fixtureTools };
  const http = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (_, request) => (request.url === '/other-subprotocol' ? 'chat' : 'mcp'),
  });
  const fixture: { lastHandshake: WebSocketFixture['lastHandshake'] } = { lastHandshake: {} };
  http.on('upgrade', (request, socket, head) => {
    fixture.lastHandshake = request.headers;
    socket.on('error', () => socket.destroy());
    const fault = request.url?.slice(1);
    if (fault === 'unauthorized') {
      socket.end('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm="x"\r\nContent-Length: 0\r\n\r\n');
    } else if (fault === 'redirect') {
      socket.end('HTTP/1.1 302 Found\r\nLocation: ws://169.254.169.254/\r\nContent-Length: 0\r\n\r\n');
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, fault ?? '', state));
    }
  });
  const { port, close } = await listenLocally(http);
  return {
    url: (fault) => `ws://127.0.0.1:${port}/${fault}`,
    address: `127.0.0.1:${port}`,
    seen,
    get lastHandshake() {
      return fixture.lastHandshake;
    },
    // a paused socket does not notice that it was closed
    openSockets: () => [...sockets.clients].filter(({ isPaused }) => !isPaused).length,
    async close() {
      for (const client of sockets.clients) client.terminate();
      await close();
    },
  };
}

function serve(socket: WebSocket, fault: string, state: { seen: Seen; tools: typeof fixtureTools }): void {
  let server: Server | undefined;
  if (fault === 'hang') return;
  if (fault === 'ignores-close') {
    // a peer that never reads again never answers the closing handshake
    socket.once('message', () => socket.pause());
  }
  if (fault === 'legacy') {
    // like some servers of older SDKs: anything before initialize ends the connection
    socket.once('message', (data) => {
      if (!data.toString().includes('"initialize"')) socket.close(1002);
    });
  }
  socket.on('message', (data) => {
    const text = data.toString();
    if (!text.includes('"tools/call"')) return;
    if (fault === 'binary') socket.send(Buffer.from([1, 2, 3]));
    if (fault === 'garbage') for (let line = 0; line < 100; line++) socket.send('<p>no</p>');
    if (fault === 'huge') socket.send('x'.repeat(3 * 1024 * 1024));
    if (fault === 'drops-calls') socket.terminate();
    if (fault === 'changes-tools') {
      state.tools = changedTools;
      void server?.sendToolListChanged();
    }
  });
  serveSocket(
    socket,
    () => (server = createFixtureServer(state.seen, () => (fault === 'wrong-results' ? promisingTools : state.tools))),
  );
}

/** Serves MCP with a separate server over one open socket. */
export function serveSocket(socket: WebSocket, create: () => Server): void {
  serveStdio(create, { transport: serverTransport(socket) });
}

function serverTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    async start() {
      socket.on('message', (data) => transport.onmessage?.(JSON.parse(data.toString())));
      socket.on('close', () => transport.onclose?.());
    },
    async send(message: JSONRPCMessage) {
      socket.send(JSON.stringify(message));
    },
    async close() {
      socket.close();
    },
  };
  return transport;
}
