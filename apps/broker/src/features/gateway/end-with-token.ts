import type { ServerResponse } from 'node:http';
import type { Caller } from '#platform/http/caller.ts';
import type { Clock } from '#platform/clock.ts';

/** Timers hold no more; what lasts longer is looked at again. */
const longestTimerMs = 24 * 60 * 60_000;

/** Ends a stream that lasts when the token that opened it expires: its client comes back with the next one. */
export function endWithToken(
  response: ServerResponse,
  { expiresAtMs }: Pick<Caller, 'expiresAtMs'>,
  clock: Clock,
): void {
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    const leftMs = expiresAtMs - clock.now();
    if (leftMs <= 0) response.destroy();
    else timer = setTimeout(check, Math.min(leftMs, longestTimerMs)).unref();
  };
  check();
  response.once('close', () => clearTimeout(timer));
}
