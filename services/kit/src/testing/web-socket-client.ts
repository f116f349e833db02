import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Client side of MCP over WebSocket, for tests: one message per text frame, subprotocol `mcp`. */
export class WebSocketClientTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #socket: WebSocket | undefined;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  async start(): Promise<void> {
    const socket = new WebSocket(this.#url, ['mcp'], { headers: this.#headers });
    this.#socket = socket;
    socket.on('message', (data) => this.onmessage?.(deserializeMessage(data.toString())));
    socket.on('close', () => this.onclose?.());
    socket.on('error', (error) => this.onerror?.(error));
    await once(socket, 'open');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#socket?.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.#socket?.close();
  }
}

/** Returns the HTTP status of an attempted upgrade: 101 if it succeeds. */
export async function handshakeStatus(
  url: string,
  protocols: string[],
  headers: Record<string, string>,
): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = new WebSocket(url, protocols, { headers });
  socket.on('unexpected-response', (request, response) => {
    resolve(response.statusCode);
    request.destroy();
  });
  socket.on('open', () => {
    resolve(101);
    socket.close();
  });
  // Destroying a refused request is reported as an error too.
  socket.on('error', () => resolve(undefined));
  return promise;
}

/** Sends one raw frame. Returns the frame that comes back and whether the connection is still open then. */
export async function sendFrame(
  url: string,
  headers: Record<string, string>,
  frame: string,
): Promise<{ answer: string; open: boolean }> {
  const socket = new WebSocket(url, ['mcp'], { headers });
  await once(socket, 'open');
  socket.send(frame);
  const [data] = await once(socket, 'message');
  const open = socket.readyState === WebSocket.OPEN;
  socket.close();
  return { answer: String(data), open };
}
