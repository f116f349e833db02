import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/client';
import { cancellationOf, type Cancellation } from '#platform/cancellation.ts';
import { clientInfo, modernRevision } from '../connect/client-identity.ts';
import type { RunningCall } from '../connect/running-calls.ts';
import { logLevels, type ToolAnswer, type ToolCallOptions, type ToolParams } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import { Deadline, type DeadlineEvents } from './deadline.ts';
import { Exchange, type ExchangeListener } from './exchange.ts';
import type { FastChannel } from './fast-channel.ts';
import { readAnswer } from './read-answer.ts';
import { sendCancelled } from './send-notice.ts';

/** Calls a tool over a fast channel, as the SDK's client would. @throws UpstreamError (rejects), as callTool does */
export function callFast(channel: FastChannel, params: ToolParams, options: ToolCallOptions): Promise<ToolAnswer> {
  const cancellation = cancellationOf(options.signal);
  const id = channel.nextId();
  // the caller hung up while the call was queued
  if (cancellation.aborted)
    return Promise.reject(new UpstreamError('cancelled', 'the caller canceled', { wasUnsent: true }));
  return new Promise<ToolAnswer>((resolve, reject) => {
    new SentCall(channel, id, options, { cancellation, resolve, reject }).send(params);
  });
}

type Waiting = Pick<PromiseWithResolvers<ToolAnswer>, 'resolve' | 'reject'> & { cancellation: Cancellation };

/** A call that waits for its answer. A class, because each call has one and closures would cost more. */
class SentCall implements ExchangeListener, DeadlineEvents {
  readonly #channel: FastChannel;
  readonly #id: number;
  readonly #options: ToolCallOptions;
  readonly #waiting: Waiting;
  readonly #exchange: Exchange;
  readonly #deadline: Deadline;
  readonly #running: RunningCall;
  #wasNotified = false;

  constructor(channel: FastChannel, id: number, options: ToolCallOptions, waiting: Waiting) {
    this.#channel = channel;
    this.#id = id;
    this.#options = options;
    this.#waiting = waiting;
    this.#exchange = new Exchange(channel, id, this);
    this.#deadline = new Deadline({ silenceMs: options.timeoutMs, totalMs: options.totalTimeoutMs }, this);
    this.#running = channel.running.enter(options, this.#deadline);
  }

  send(params: ToolParams): void {
    const text = requestText(this.#channel, this.#id, params, this.#options);
    this.#exchange.send(text, headersOf(this.#channel, params));
    this.#waiting.cancellation.listen(() => {
      this.#giveUp(new UpstreamError('cancelled', 'the caller canceled', { wasUnsent: !this.#exchange.isSent }));
    });
  }

  onAnswer(text: string, message: Record<string, unknown>): void {
    this.#end();
    const { resolve, reject } = this.#waiting;
    try {
      const answer = readAnswer(text, message, this.#channel, this.#options);
      if (this.#wasNotified) setImmediate(resolve, answer);
      else resolve(answer);
    } catch (error) {
      if (this.#wasNotified) setImmediate(reject, error);
      else reject(error);
    }
  }

  onFailure(error: UpstreamError): void {
    this.#end();
    this.#waiting.reject(error);
  }

  onProgress(progress: Record<string, unknown>): void {
    // why the cast: it is forwarded as the server sent it, and the client's SDK checks it
    this.#running.progress(progress as Progress);
  }

  onLog(message: Record<string, unknown>): void {
    if (!isLogMessage(message)) return;
    this.#wasNotified = true;
    this.#running.log(message);
  }

  onMessage(message: Record<string, unknown>): void {
    this.#wasNotified = true;
    this.#running.receive(message);
  }

  expire(): void {
    this.#giveUp(new UpstreamError('timeout', 'no answer within the deadline'));
  }

  onSlow(): void {
    this.#options.onSlow?.();
  }

  #giveUp(error: UpstreamError): void {
    this.#end();
    this.#waiting.reject(error);
    // a legacy server needs a notice; a modern one sees the closed stream (2026-07-28, basic/utilities/cancellation)
    if (this.#channel.era === 'modern') return this.#exchange.abandon();
    sendCancelled(this.#channel, this.#id, error.message, () => this.#exchange.abandon());
  }

  #end(): void {
    this.#deadline.end();
    this.#waiting.cancellation.listen(undefined);
    // notices that arrived just before the answer are still being forwarded: they must reach the client first
    if (this.#wasNotified) setImmediate(() => this.#running.leave());
    else this.#running.leave();
  }
}

/** Builds the request from pieces of text, which costs less than building one object and encoding it. */
function requestText(channel: FastChannel, id: number, params: ToolParams, options: ToolCallOptions): string {
  const name = JSON.stringify(params.name);
  const given = params.arguments === undefined ? '' : `,"arguments":${JSON.stringify(params.arguments)}`;
  const meta = metaText(channel, id, params._meta ?? {}, options);
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${name}${given},"_meta":${meta}}}`;
}

function metaText(channel: FastChannel, id: number, given: object, options: ToolCallOptions): string {
  const capabilities = options.clientCapabilities ?? {};
  const isModern = channel.era === 'modern';
  // nearly every call
  if (!options.onProgress && Object.keys(given).length === 0) {
    return isModern ? `${envelopeStart}${JSON.stringify(capabilities)}}` : '{}';
  }
  return JSON.stringify({
    ...(isModern && { ...envelope, [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
    ...given,
    ...(options.onProgress && { progressToken: id }),
  });
}

const envelope = { [PROTOCOL_VERSION_META_KEY]: modernRevision, [CLIENT_INFO_META_KEY]: clientInfo };
/** The envelope as text, up to the client's capabilities. */
const envelopeStart = `${JSON.stringify(envelope).slice(0, -1)},${JSON.stringify(CLIENT_CAPABILITIES_META_KEY)}:`;

/** Non-ASCII names never get here: the SDK encodes them for the header (SEP-2243). */
function headersOf(channel: FastChannel, { name }: ToolParams): Record<string, string> | undefined {
  return channel.era === 'modern' ? { 'mcp-method': 'tools/call', 'mcp-name': name } : undefined;
}

/** Checks what the SDK's schema requires of a log message: the gateway reads it before forwarding it. */
function isLogMessage(params: Record<string, unknown>): params is LoggingMessageNotification['params'] {
  const { level, logger } = params;
  return (logLevels as readonly unknown[]).includes(level) && (logger === undefined || typeof logger === 'string');
}
