import { UpstreamError } from '../upstream-error.ts';

export type CallDeadline = {
  signal: AbortSignal;
  /** The server sent something: restarts the silence timer. */
  heard(): void;
  /** Stops the silence timer while the user answers a question. Returns a function that ends the pause. */
  pause(): () => void;
  /** Why the signal fired; undefined if it did not. */
  explain(): UpstreamError | undefined;
  dispose(): void;
};

/**
 * A signal that follows `signal` and also fires after `silenceMs` without a message from the server, and after `totalMs`
 * in any case. The SDK's own timers cannot be paused and report a caller's abort and a timeout as the same error; this
 * one tells them apart. Call `dispose` when the call has ended.
 */
export function startDeadline(
  signal: AbortSignal,
  { silenceMs, totalMs }: { silenceMs: number; totalMs: number },
): CallDeadline {
  const controller = new AbortController();
  let reason: UpstreamError | undefined;
  let pauses = 0;
  const end = (why: UpstreamError) => {
    reason ??= why;
    controller.abort(why.message);
  };
  const timeOutAfter = (ms: number) =>
    setTimeout(() => end(new UpstreamError('timeout', `no answer within ${ms} ms`)), ms);
  const total = timeOutAfter(totalMs);
  let silence = timeOutAfter(silenceMs);
  const heard = () => {
    clearTimeout(silence);
    if (pauses === 0 && !reason) silence = timeOutAfter(silenceMs);
  };
  const onAbort = () => end(new UpstreamError('cancelled', 'the caller canceled'));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    heard,
    pause() {
      pauses++;
      clearTimeout(silence);
      return () => {
        pauses--;
        heard();
      };
    },
    explain: () => reason,
    dispose() {
      // A pause that ends after this must not start a timer.
      pauses++;
      clearTimeout(total);
      clearTimeout(silence);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
