import { Deadline } from '../fast/deadline.ts';
import { UpstreamError } from '../upstream-error.ts';

export type CallDeadline = ReturnType<typeof startDeadline>;

/**
 * A signal that follows `signal`, and also fires after `silenceMs` without a message from the server and after `totalMs` in
 * any case. The SDK's own timers cannot be paused and report a caller's abort and a timeout as the same error; this one
 * tells them apart. Call `dispose` when the call has ended.
 */
export function startDeadline(
  signal: AbortSignal,
  { silenceMs, totalMs }: { silenceMs: number; totalMs: number },
  onSlow: () => void,
) {
  const controller = new AbortController();
  const startedAtMs = performance.now();
  let reason: UpstreamError | undefined;
  const end = (why: UpstreamError) => {
    reason ??= why;
    controller.abort(why.message);
  };
  const expire = () => {
    const limitMs = performance.now() - startedAtMs < totalMs ? silenceMs : totalMs;
    end(new UpstreamError('timeout', `no answer within ${limitMs} ms`));
  };
  const deadline = new Deadline({ silenceMs, totalMs }, { expire, onSlow });
  const onAbort = () => end(new UpstreamError('cancelled', 'the caller canceled'));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    heard: () => deadline.heard(),
    pause: () => deadline.pause(),
    /** Why the signal fired; undefined if it did not. */
    explain: () => reason,
    dispose(): void {
      deadline.end();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
