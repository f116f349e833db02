import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  LoggingMessageNotification,
  Progress,
} from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';
import type { PlainCaller } from '#adapters/mcp/plain/call-plain.ts';
import { Cancellation } from '#adapters/mcp/plain/cancellation.ts';
import type { Ask } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CallRequest } from '../call-request.ts';
import type { McpEndpoint } from '../mcp-endpoint.ts';
import type { Person } from '../person.ts';
import type { PlainCall } from './plain-call.ts';
import { parseResult, type PlainResult } from './read-result.ts';
import type { PlainEntry } from './session-calls.ts';
import { drained, type AnswerWriter, type Reply } from './write-answer.ts';

/** A call that runs already, for the SDK's server to answer. */
export type CallUnderWay = {
  /**
   * Its end. Until then its client is the one of this request: it is asked and told, and may hang up. Undefined the
   * second time: what the SDK's server asks for then is another round.
   */
  take(request: CallRequest<unknown>): Promise<CallToolResult | InputRequiredResult> | undefined;
};

/** The exchange that a call came in. */
export type CameIn = { request: IncomingMessage; body: unknown; reply: Reply; person: Person; client: string };

/**
 * A plain call from its request to its answer, and the way from it to the SDK's server, which has the objects for all
 * that a client may hear besides an answer: questions, progress that can be taken up again, another round. It is gone
 * once, at the first of them, while the call runs on. Most calls never go it.
 */
export class OpenCall implements PlainCaller, CallUnderWay {
  readonly call: PlainCall;
  readonly cameIn: CameIn;
  readonly cancellation = new Cancellation();
  /** The call's end, from its beginning on. */
  running: Promise<PlainEnd> | undefined;
  /** What it holds in its session, where it has one. */
  entry: PlainEntry | undefined;
  readonly #endpoint: Pick<McpEndpoint, 'handle'>;
  readonly #write: Pick<AnswerWriter, 'progress'>;
  #serving: Promise<void> | undefined;
  /** The client as the SDK's server knows it, since that has taken the call. */
  #taken: CallRequest<unknown> | undefined;
  /** Of those who wait for that. */
  #client: PromiseWithResolvers<CallRequest<unknown>> | undefined;

  constructor(
    call: PlainCall,
    cameIn: CameIn,
    endpoint: Pick<McpEndpoint, 'handle'>,
    write: Pick<AnswerWriter, 'progress'>,
  ) {
    this.call = call;
    this.cameIn = cameIn;
    this.#endpoint = endpoint;
    this.#write = write;
  }

  get client(): string {
    return this.cameIn.client;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.call.clientCapabilities;
  }

  get wantsProgress(): boolean {
    return this.call.progressToken !== undefined;
  }

  get isHandedOver(): boolean {
    return this.#serving !== undefined;
  }

  /** Lets the SDK's server have the exchange. Resolves when it has done its work. */
  handOver(): Promise<void> {
    if (this.#serving) return this.#serving;
    const { request, reply, person, body } = this.cameIn;
    for (const [name, value] of Object.entries(reply.headers)) reply.response.setHeader(name, value);
    this.entry?.giveId();
    this.#serving = this.#endpoint.handle(request, reply.response, person, body, this);
    // told to whoever waits for it, now or at the call's end
    this.#serving.catch(() => {});
    return this.#serving;
  }

  take(request: CallRequest<unknown>): Promise<CallToolResult | InputRequiredResult> | undefined {
    if (this.#taken) return undefined;
    this.#taken = request;
    if (request.signal.aborted) this.cancellation.abort();
    request.signal.addEventListener('abort', () => this.cancellation.abort(), { once: true });
    this.#client?.resolve(request);
    return this.running?.then((end) => (isPlainResult(end) ? parseResult(end) : end));
  }

  /** Rejects when the SDK's server did not take the call. */
  #reach(): Promise<CallRequest<unknown>> {
    if (this.#taken) return Promise.resolve(this.#taken);
    if (this.#client) return this.#client.promise;
    const client = Promise.withResolvers<CallRequest<unknown>>();
    this.#client = client;
    const { response } = this.cameIn.reply;
    response.once('close', () => client.reject(new UpstreamError('cancelled', 'the client is gone')));
    this.handOver().catch((error: unknown) => client.reject(error));
    return client.promise;
  }

  /** A client that is gone cannot be told; that ends the call elsewhere. */
  #tell(say: (request: CallRequest<unknown>) => void): void {
    this.#reach().then(say, () => {});
  }

  async onAsk(ask: Ask, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { onAsk } = await this.#reach();
    if (!onAsk) throw new UpstreamError('protocol', `The client does not offer ${ask.method}`, { code: -32_601 });
    return onAsk(ask, signal);
  }

  onLog(message: LoggingMessageNotification['params']): void {
    // a client of 2026-07-28 names the level with its request, which then goes the SDK's way
    if (this.call.era === 'legacy') this.#tell(({ onLog }) => onLog?.(message));
  }

  /** A modern client that nobody can ask gets its progress here; else the SDK's server has it, like the rest. */
  onProgress(params: Record<string, unknown>): Promise<void> | undefined {
    const { call, cameIn } = this;
    if (call.era === 'modern' && !call.isInteractive) {
      return cameIn.reply.response.destroyed ? undefined : this.#write.progress(cameIn.reply, call, params);
    }
    // why the cast: the SDK's server sends what it is given, and the client's checks it
    this.#tell(({ onProgress }) => onProgress?.(params as Progress));
    const { response } = cameIn.reply;
    return response.writableNeedDrain ? drained(response) : undefined;
  }

  /** A connection that breaks from now on: the client takes up the session's stream, and nothing is lost. */
  onSlow(): void {
    if (this.call.era === 'legacy') void this.handOver();
  }
}

/** What a plain call comes to: a server's result as it was written, or one that was made or looked at here. */
export type PlainEnd = PlainResult | CallToolResult | InputRequiredResult;

export function isPlainResult(end: PlainEnd): end is PlainResult {
  return 'members' in end;
}
