import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  LoggingMessageNotification,
  Progress,
  Tool,
} from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { slowMs, type Ask, type Listening, type ToolAnswer, type ToolCallOptions } from '#adapters/mcp/upstream.ts';
import { Cancellation } from '#platform/cancellation.ts';
import type { Call, FoundTarget, LogicalCall } from '../call/call.ts';
import { totalTimeoutMs, type CallRequest } from '../call/call-request.ts';
import type { CallEnd } from '../call/outcome.ts';
import { presentToolEnd, type Links } from '../call/present-failure.ts';
import { toolTarget } from '../call/resolve-target.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import { listeningOn } from '../wire/listening-on.ts';
import { parseAccept } from '../wire/parse-accept.ts';
import type { McpEndpoint } from '../protocol/mcp-endpoint.ts';
import type { CallUnderWay } from '../protocol/request-extra.ts';
import { exposeLinks } from '../view/expose-links.ts';
import { asLegacyResult } from '../view/legacy-result.ts';
import type { RequestContext } from '../view/request-context.ts';
import type { FastCall } from './recognise-call.ts';
import type { SessionCall } from './session-calls.ts';
import { write, type Reply } from './write-answer.ts';

type CameIn = { request: IncomingMessage; body: unknown; reply: Reply; context: RequestContext; client: string };

type Parts = Links & {
  endpoint: Pick<McpEndpoint, 'handle'>;
  keepAlive: KeepAlive;
};

/**
 * A fast-path call from its request to its answer. If the client needs more than an answer (a question, resumable
 * progress, another round), the call is handed over to the SDK's server, once, while it continues to run. Most calls
 * never are.
 *
 * One object is both the Call of run-call and the options for the upstream, so that an ordinary call allocates little.
 */
export class OpenCall implements Call, CallUnderWay, ToolCallOptions {
  readonly call: FastCall;
  readonly cameIn: CameIn;
  readonly logical: LogicalCall;
  readonly kind = 'tool';
  readonly signal = new Cancellation();
  readonly totalTimeoutMs = totalTimeoutMs;
  readonly onProgress: ToolCallOptions['onProgress'];
  running: Promise<CallEnd<ToolAnswer>> | undefined;
  entry: SessionCall | undefined;
  readonly #parts: Parts;
  #serving: Promise<void> | undefined;
  /** Stops the comments that keep the connection of a long call open. */
  #stopComments: (() => void) | undefined;
  /** The request of the SDK's server, once it has taken over the call. */
  #taken: CallRequest<unknown> | undefined;
  #client: PromiseWithResolvers<CallRequest<unknown>> | undefined;

  constructor(call: FastCall, cameIn: CameIn, parts: Parts) {
    this.call = call;
    this.cameIn = cameIn;
    this.logical = { id: cameIn.reply.id };
    const wantsProgress = call.progressToken !== undefined && takesEvents(cameIn);
    this.onProgress = wantsProgress ? (progress) => this.#sendProgress(progress) : undefined;
    this.#parts = parts;
  }

  get context(): RequestContext {
    return this.cameIn.context;
  }

  get meta(): FastCall['meta'] {
    return this.call.meta;
  }

  get client(): string {
    return this.cameIn.client;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.call.clientCapabilities;
  }

  get timeoutMs(): number {
    return this.call.tool.server.manifest.deadlines.callMs;
  }

  get toolDefinition(): Tool {
    // why the cast: the catalogue stores the definition that the upstream listed; only its texts were cleaned
    return this.call.tool.item.definition as Tool;
  }

  get resultTypes(): readonly string[] | undefined {
    return this.call.tool.item.resultTypes;
  }

  get isHandedOver(): boolean {
    return this.#serving !== undefined;
  }

  resolve(): FoundTarget {
    return toolTarget(this.call.tool);
  }

  expose(result: CallToolResult): CallToolResult {
    const exposed = exposeLinks(this.context, this.call.tool.server, result);
    return this.call.era === 'legacy' ? asLegacyResult(exposed, true) : exposed;
  }

  /** Hands the exchange over to the SDK's server. Resolves when that has finished it. */
  handOver(waitedMs?: number): Promise<void> {
    if (this.#serving) return this.#serving;
    const { request, reply, context, body } = this.cameIn;
    for (const [name, value] of Object.entries(reply.headers)) reply.response.setHeader(name, value);
    this.entry?.giveId();
    const known = { requestId: reply.id, underWay: this, ...(waitedMs !== undefined && { waitedMs }) };
    this.#serving = this.#parts.endpoint.handle(request, reply.response, context, body, known);
    // callers that await it get the failure
    this.#serving.catch(() => {});
    return this.#serving;
  }

  take(request: CallRequest<unknown>): Promise<CallToolResult | InputRequiredResult> | undefined {
    if (this.#taken) return undefined;
    this.#taken = request;
    const { signal } = request;
    if (signal.aborted) this.signal.abort(signal.reason);
    signal.addEventListener('abort', () => this.signal.abort(signal.reason), { once: true });
    this.#client?.resolve(request);
    return this.running?.then((end) => presentToolEnd(end, this.#parts));
  }

  /** Returns the request of the SDK's server, handing the call over first if necessary. Rejects if that fails. */
  #reach(): Promise<CallRequest<unknown>> {
    if (this.#taken) return Promise.resolve(this.#taken);
    if (this.#client) return this.#client.promise;
    const client = Promise.withResolvers<CallRequest<unknown>>();
    this.#client = client;
    const { response } = this.cameIn.reply;
    response.once('close', () => client.reject(new UpstreamError('cancelled', 'the client hung up')));
    this.handOver().catch((error: unknown) => client.reject(error));
    return client.promise;
  }

  /** Ignores a client that has hung up: that ends the call elsewhere. */
  #notify(send: (request: CallRequest<unknown>) => void): void {
    this.#reach().then(send, () => {});
  }

  async onAsk(ask: Ask, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { onAsk } = await this.#reach();
    if (!onAsk) throw new UpstreamError('protocol', `The client does not offer ${ask.method}`, { code: -32_601 });
    return onAsk(ask, signal);
  }

  onLog(message: LoggingMessageNotification['params']): void {
    // a client of 2026-07-28 sets the level in its request, which then goes through the SDK
    if (this.call.era === 'legacy') this.#notify(({ onLog }) => onLog?.(message));
  }

  listening(): Listening {
    return this.#taken ? this.#taken.listening() : listeningOn(this.cameIn.reply.response);
  }

  /** Writes progress here for a modern client that cannot be asked; for others the SDK's server sends it. */
  #sendProgress(progress: Progress): void {
    const { call, cameIn } = this;
    if (call.era === 'modern' && !call.isInteractive) write.progress(cameIn.reply, call, progress);
    else this.#notify(({ onProgress }) => onProgress?.(progress));
  }

  /**
   * Hands a long call over, so that the client can resume its stream after a broken connection. Since 2026-07-28 streams
   * cannot be resumed: there, comments keep a long one open (platform/http/connections/keep-alive.ts).
   */
  onSlow(): void {
    if (this.call.era === 'legacy') return void this.handOver();
    if (!takesEvents(this.cameIn)) return;
    this.#stopComments = this.#parts.keepAlive.watch(() => this.#stayAlive(), slowMs);
  }

  end(): void {
    this.#stopComments?.();
    this.entry?.leave();
  }

  #stayAlive(): void {
    const { reply } = this.cameIn;
    // the SDK's server may still have to ask this client, and keeps the connection open itself
    if (this.call.isInteractive && !this.isHandedOver) void this.handOver(this.#parts.keepAlive.afterMs);
    if (this.isHandedOver || reply.response.destroyed) this.#stopComments?.();
    else write.comment(reply);
  }
}

const takesEvents = ({ request }: CameIn): boolean => parseAccept(request.headers.accept).events;
