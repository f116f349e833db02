import { UpstreamError } from './upstream-error.ts';

/**
 * A signal that follows `signal` and fires after `timeoutMs` besides. The SDK looks at its own total limit only when
 * progress arrives, and gives the same error for a caller's abort and a timeout: this one tells them apart.
 *
 * `explain` gives the reason why the signal fired, or undefined when it did not. `dispose` must be called.
 */
export function startDeadline(
  signal: AbortSignal,
  timeoutMs: number,
): { signal: AbortSignal; explain(): UpstreamError | undefined; dispose(): void } {
  const controller = new AbortController();
  let reason: UpstreamError | undefined;
  const end = (why: UpstreamError) => {
    reason ??= why;
    controller.abort(why.message);
  };
  const onAbort = () => end(new UpstreamError('cancelled', 'the caller cancelled'));
  const timer = setTimeout(() => end(new UpstreamError('timeout', `no answer within ${timeoutMs} ms`)), timeoutMs);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    explain: () => reason,
    dispose() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
