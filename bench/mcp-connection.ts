import { Client, type Dispatcher } from 'undici';

export type Era = 'legacy' | 'modern';

export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

const legacyVersion = '2025-06-18';
const modernVersion = '2026-07-28';
const prefix = 'io.modelcontextprotocol/';
const clientInfo = { name: 'bench', version: '1.0.0' };
/** Capabilities of a client that supports all questions, like most interactive clients. */
const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const modernMeta = (capabilities: object) =>
  JSON.stringify({
    [`${prefix}protocolVersion`]: modernVersion,
    [`${prefix}clientCapabilities`]: capabilities,
    [`${prefix}clientInfo`]: clientInfo,
  });
const answerTimeoutMs = 10_000;

type Headers = Record<string, string>;
type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string };
type Message = {
  id?: unknown;
  result?: {
    protocolVersion?: string;
    tools?: { name: string }[];
    content?: { text?: string }[];
    isError?: boolean;
  };
};

/** URL and token of a connection; `askable`: the client declares that it can answer questions during a call. */
export type Endpoint = { url: string; token: string | undefined; askable: boolean };

/**
 * A minimal MCP client with one keep-alive connection, one request at a time and bodies built as text, so that the driver costs
 * little compared with what it measures. It reads JSON and event-stream answers.
 */
export class McpConnection {
  readonly #http: Client;
  readonly #path: string;
  readonly #era: Era;
  readonly #base: Headers;
  readonly #capabilities: object;
  readonly #modernMeta: string;
  #session: string | undefined;
  #version = legacyVersion;
  #lastId = 0;
  #callHeaders: Headers = {};
  #tool = '';

  private constructor({ url, token, askable }: Endpoint, era: Era) {
    this.#capabilities = askable ? everything : {};
    this.#modernMeta = modernMeta(this.#capabilities);
    const { origin, pathname } = new URL(url);
    this.#http = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: 600_000,
      keepAliveMaxTimeout: 600_000,
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
    });
    this.#path = pathname;
    this.#era = era;
    this.#base = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  }

  /**
   * Connects, opens a session if the era has sessions, and looks the tool up in tools/list.
   * @param tool possible names of the tool
   */
  static async open(endpoint: Endpoint, era: Era, tool: readonly string[]): Promise<McpConnection> {
    const connection = new McpConnection(endpoint, era);
    try {
      if (era === 'legacy') await connection.#initialize();
      await connection.#choose(tool);
      return connection;
    } catch (error) {
      await connection.#http.destroy();
      throw error;
    }
  }

  /**
   * Makes one tool call and checks that the answer is exact.
   * @throws WrongAnswerError if id or text are not those of this call; another error without an answer
   */
  async echo(text: string): Promise<void> {
    const id = ++this.#lastId;
    const meta = this.#era === 'modern' ? `,"_meta":${this.#modernMeta}` : '';
    const params = `{"name":"${this.#tool}","arguments":{"text":"${text}"}${meta}}`;
    const answer = await this.#send('POST', this.#callHeaders, requestText(id, 'tools/call', params));
    if (answer.status !== 200) throw new Error(`tools/call: ${describe(answer)}`);
    const { result } = messageFor(id, answer);
    if (result?.content?.[0]?.text !== text || result.isError === true) {
      throw new WrongAnswerError(`not the echo of ${text}: ${describe(answer)}`);
    }
  }

  /** Ends the session and the connection. */
  async close(): Promise<void> {
    if (this.#session !== undefined) await this.#send('DELETE', this.#headersFor(), null).catch(() => {});
    await this.#http.destroy();
  }

  async #initialize(): Promise<void> {
    const params = { protocolVersion: legacyVersion, capabilities: this.#capabilities, clientInfo };
    const answer = await this.#send('POST', this.#base, requestText(0, 'initialize', JSON.stringify(params)));
    if (answer.status !== 200) throw new Error(`initialize: ${describe(answer)}`);
    this.#version = messageFor(0, answer).result?.protocolVersion ?? '';
    const session = answer.headers['mcp-session-id'];
    if (typeof session === 'string') this.#session = session;
    const notice = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const accepted = await this.#send('POST', this.#headersFor(), notice);
    if (accepted.status !== 202) throw new Error(`notifications/initialized: ${describe(accepted)}`);
  }

  async #choose(names: readonly string[]): Promise<void> {
    const id = ++this.#lastId;
    const params = this.#era === 'modern' ? `{"_meta":${this.#modernMeta}}` : '{}';
    const answer = await this.#send('POST', this.#headersFor('tools/list'), requestText(id, 'tools/list', params));
    const tool = messageFor(id, answer).result?.tools?.find(({ name }) => names.includes(name));
    if (!tool) throw new Error(`none of ${names.join(', ')} is listed: ${describe(answer)}`);
    this.#tool = tool.name;
    this.#callHeaders = this.#headersFor('tools/call', tool.name);
  }

  /** Returns the headers that the era requires (2026-07-28: basic/transports; before: session and version). */
  #headersFor(method?: string, name?: string): Headers {
    if (this.#era === 'modern') {
      const named = {
        ...(method !== undefined && { 'mcp-method': method }),
        ...(name !== undefined && { 'mcp-name': name }),
      };
      return { ...this.#base, 'mcp-protocol-version': modernVersion, ...named };
    }
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
    return { ...this.#base, 'mcp-protocol-version': this.#version, ...session };
  }

  #send(method: Dispatcher.HttpMethod, headers: Headers, body: string | null): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const answer: Answer = { status: 0, headers: {}, text: '' };
      const chunks: Buffer[] = [];
      this.#http.dispatch(
        { path: this.#path, method, headers, body },
        {
          onRequestStart() {},
          onResponseStart(_controller, status, received) {
            answer.status = status;
            answer.headers = received;
          },
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd() {
            answer.text = Buffer.concat(chunks).toString();
            resolve(answer);
          },
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  }
}

function requestText(id: number, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/** Finds the answer to one request in a JSON body or an event stream. */
function messageFor(id: number, answer: Answer): Message {
  if (answer.text.startsWith('{')) {
    const message: Message = JSON.parse(answer.text);
    if (message.id === id) return message;
  } else {
    for (const line of answer.text.split('\n')) {
      if (!line.startsWith('data: {')) continue;
      const message: Message = JSON.parse(line.slice('data: '.length));
      if (message.id === id) return message;
    }
  }
  throw new WrongAnswerError(`no answer to ${id}: ${describe(answer)}`);
}

function describe({ status, text }: Answer): string {
  return `HTTP ${status} ${text.slice(0, 300)}`;
}
