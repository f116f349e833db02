import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';
import { ownHeaders } from '#platform/http/outgoing/outgoing-agent.ts';
import { createGuardedConnector } from '#platform/http/outgoing/guarded-connector.ts';
import { answerTooLarge } from '../wire/answer-limits.ts';
import { createMessageReader } from '../wire/message-reader.ts';
import { sdkCost } from '../notices/notice-limits.ts';
import { createPace } from '../wire/pace.ts';
import { toUpstreamError } from '../wire/translate-error.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { NetworkTransportOptions, UpstreamTransport } from './upstream-transport.ts';
import { renewing } from '../connect/with-credential.ts';

const closeTimeoutMs = 2000;
const maxUnsentBytes = 16 * 1024 * 1024;
const messageTooBig = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

/** MCP over WebSocket, which is not in the standard: one JSON-RPC message per text frame, subprotocol `mcp` (trap 11). */
export class WebSocketTransport implements UpstreamTransport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  ended: UpstreamError | undefined;
  readonly #options: NetworkTransportOptions;
  #socket: WebSocket | undefined;
  #closing: Promise<void> | undefined;
  #pauses = 0;

  constructor(options: NetworkTransportOptions) {
    this.#options = options;
  }

  /** @throws UpstreamError refused_address, unreachable, timeout, sign_in_required, bad_upstream */
  async start(): Promise<void> {
    const { credential } = this.#options;
    await (credential ? renewing(credential, (own) => this.#open(own)) : this.#open({}));
  }

  async #open(own: Record<string, string>): Promise<void> {
    if (this.ended) throw this.ended;
    const { url, connectTimeoutMs, maxResultBytes } = this.#options;
    const headers = { 'user-agent': ownHeaders['user-agent'], ...this.#options.headers, ...own };
    const { hostname, host, port } = url;
    const protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
    const connect = createGuardedConnector(this.#options);
    const carrier = await connect({ hostname, host, port, protocol }).catch((error: unknown) => {
      throw toUpstreamError(error);
    });
    if (this.ended) {
      carrier.destroy();
      throw this.ended;
    }
    const socket = new WebSocket(url, ['mcp'], {
      headers,
      // handshakeTimeout needs a socket with a timeout
      createConnection: () => carrier.setTimeout(connectTimeoutMs),
      perMessageDeflate: false,
      maxPayload: maxResultBytes,
      followRedirects: false,
      // one message per tick: the SDK drops progress that arrives in the same tick as its answer
      allowSynchronousEvents: false,
      handshakeTimeout: connectTimeoutMs,
    });
    this.#socket = socket;
    // late errors without a listener would end the process
    socket.on('error', () => {});
    // a server may send a message in the packet that completes the handshake
    socket.once('open', () => this.#listen(socket));
    await opened(socket);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (this.ended || socket?.readyState !== WebSocket.OPEN) {
      throw this.ended ?? new UpstreamError('closed', 'the connection has ended');
    }
    if (socket.bufferedAmount > maxUnsentBytes) throw new UpstreamError('bad_upstream', 'the server does not read');
    socket.send(JSON.stringify(message), (error) => {
      if (error) this.#endWith(new UpstreamError('closed', error.message, { cause: error }));
    });
  }

  /** Resolves when the socket is closed, after 2 s at the latest. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async abort(): Promise<void> {
    this.#endWith(new UpstreamError('closed', 'the connection was aborted'));
  }

  async #shutDown(): Promise<void> {
    this.#announceEnd(new UpstreamError('closed', 'the connection was closed'));
    const socket = this.#socket;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => socket.terminate(), closeTimeoutMs);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      socket.close(1000);
    });
  }

  #listen(socket: WebSocket): void {
    const read = createMessageReader();
    const pace = createPace();
    socket.on('message', (data, isBinary) => {
      if (this.ended) return;
      try {
        if (isBinary) throw new UpstreamError('bad_upstream', 'a binary frame');
        const text = data.toString();
        const message = read(text);
        if (message) this.onmessage?.(message);
        this.#pauseFor(socket, pace(1, text.length));
        if (message && 'method' in message) this.#pauseFor(socket, this.#options.pace(sdkCost, 0));
      } catch (error) {
        this.#endWith(toUpstreamError(error));
      }
    });
    socket.on('error', (error) => {
      const tooBig = 'code' in error && error.code === messageTooBig;
      this.#endWith(tooBig ? answerTooLarge(this.#options.maxResultBytes) : toUpstreamError(error));
    });
    socket.on('close', (code) => {
      this.#announceEnd(new UpstreamError('closed', `the server closed the connection (${code})`));
    });
  }

  #pauseFor(socket: WebSocket, wait: Promise<void> | undefined): void {
    if (!wait) return;
    this.#pauses++;
    socket.pause();
    void wait.then(() => {
      if (--this.#pauses === 0) socket.resume();
    });
  }

  /** Ends the socket immediately after a fault of the server, without a closing handshake. */
  #endWith(reason: UpstreamError): void {
    this.#announceEnd(reason);
    this.#socket?.terminate();
  }

  #announceEnd(reason: UpstreamError): void {
    if (this.ended) return;
    this.ended = reason;
    this.onclose?.();
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => {
      reject(
        error.message === 'Opening handshake has timed out'
          ? new UpstreamError('timeout', error.message, { cause: error })
          : toUpstreamError(error),
      );
    };
    socket.once('error', onError);
    socket.once('unexpected-response', (request, answer) => {
      reject(refusedHandshake(answer.statusCode ?? 0, answer.headers['www-authenticate']));
      // with a listener for this event, ws leaves closing the socket to us
      request.destroy();
    });
    socket.once('open', () => {
      socket.off('error', onError);
      if (socket.protocol === 'mcp') resolve();
      else {
        socket.terminate();
        reject(new UpstreamError('bad_upstream', 'the server does not speak the subprotocol mcp'));
      }
    });
  });
}

function refusedHandshake(status: number, wwwAuthenticate: string | undefined): UpstreamError {
  if (status === 401) {
    return new UpstreamError('sign_in_required', 'the server asks for a sign-in (HTTP 401)', { wwwAuthenticate });
  }
  if (status === 429) return new UpstreamError('busy', 'the server takes no more connections for now (HTTP 429)');
  if (status >= 502 && status <= 504) return new UpstreamError('unreachable', `HTTP ${status}`);
  const redirect = status >= 300 && status < 400;
  return new UpstreamError('bad_upstream', redirect ? `redirects are not followed (HTTP ${status})` : `HTTP ${status}`);
}
