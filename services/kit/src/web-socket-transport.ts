import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import type { RawData, WebSocket } from 'ws';

const parseError = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } };

/**
 * Server side of MCP over WebSocket: one JSON-RPC message per text frame. The protocol no longer defines this transport, so
 * the convention is ours.
 */
export class WebSocketServerTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  async start(): Promise<void> {
    this.#socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    this.#socket.on('close', () => this.onclose?.());
    this.#socket.on('error', (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      // RFC 6455, section 7.4.1: unsupported type of data
      this.#socket.close(1003, 'text frames only');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(data.toString());
    } catch {
      this.#socket.send(JSON.stringify(parseError));
      return;
    }
    this.onmessage?.(message);
  }
}
