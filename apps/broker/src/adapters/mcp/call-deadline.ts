import { UpstreamError } from './upstream-error.ts';

export type CallDeadline = {
  signal: AbortSignal;
  /** The server gave a sign of life: the silence begins anew. */
  heard(): void;
  /** A person is being asked: silence is not the server's fault. Gives what ends the pause. */
  pause(): () => void;
  /** Why the signal fired, or undefined when it did not. */
  explain(): UpstreamError | undefined;
  dispose(): void;
};

/**
 * A signal that follows `signal`, and fires besides after `silenceMs` without a sign of life and after `totalMs` in any
 * case. The SDK's own timers cannot be paused, and give the same error for a caller's abort and a timeout: this one
 * tells them apart. `dispose` must be called.
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
  const onAbort = () => end(new UpstreamError('cancelled', 'the caller cancelled'));
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
      // so that a pause that ends later starts no timer
      pauses++;
      clearTimeout(total);
      clearTimeout(silence);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
