import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** The client's end of MCP over WebSocket, for tests: one message in each text frame, subprotocol `mcp`. */
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
