import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { abortSignalOf } from '#platform/cancellation.ts';
import type { UpstreamTransport } from '../transports/upstream-transport.ts';
import type { CallOptions, ToolCallOptions } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import { toUpstreamError } from '../wire/translate-error.ts';
import { startDeadline } from './call-deadline.ts';
import { createLogLevel } from './log-level.ts';
import type { OpenOptions } from './open-options.ts';
import { listenToServer } from './running-calls.ts';

export type ClientRequests = ReturnType<typeof createClientRequests>;

export function createClientRequests(client: Client, transport: UpstreamTransport, options: OpenOptions) {
  const running = listenToServer(client, transport, options);
  const logLevel = createLogLevel(client, options.log);
  const never = new AbortController().signal;
  let closing: Promise<void> | undefined;
  let isClosing = false;

  /** Runs one request under both deadlines and turns every error into an UpstreamError. */
  async function run<T>(
    call: CallOptions & Pick<ToolCallOptions, 'onSlow'>,
    send: (request: RequestOptions) => Promise<T>,
  ): Promise<T> {
    if (isClosing) throw new UpstreamError('closed', 'the connection was closed');
    const totalMs = call.totalTimeoutMs;
    const limits = { silenceMs: Math.min(call.timeoutMs, totalMs), totalMs };
    const deadline = startDeadline(abortSignalOf(call.signal), limits, () => call.onSlow?.());
    try {
      if (call.logLevel) await logLevel.want(call.logLevel);
      return await running.within(call, deadline, (entered) =>
        send({
          signal: deadline.signal,
          // never reached: our own deadline ends the call first
          timeout: totalMs + 60_000,
          ...(call.onProgress && { onprogress: (progress) => entered.progress(progress) }),
        }),
      );
    } catch (error) {
      // after the connection has ended, the SDK throws a plain Error, "Not connected"
      const closed = isClosing
        ? (transport.ended ?? new UpstreamError('closed', 'the connection was closed', { cause: error }))
        : undefined;
      throw deadline.explain() ?? closed ?? toUpstreamError(error, transport.ended, transport.sessionId !== undefined);
    } finally {
      deadline.dispose();
    }
  }

  return {
    running,
    run,
    isClosing: () => isClosing,
    /** Runs a request of our own, which no caller cancels. */
    runOwn: <T>(timeoutMs: number, send: (request: RequestOptions) => Promise<T>): Promise<T> =>
      run({ signal: never, timeoutMs, totalTimeoutMs: timeoutMs }, send),

    close(): Promise<void> {
      isClosing = true;
      closing ??= transport.close().catch((error: unknown) => {
        options.log.debug({ err: error }, 'an upstream did not close cleanly');
      });
      return closing;
    },
  };
}
