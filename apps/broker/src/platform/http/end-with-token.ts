import type { ServerResponse } from 'node:http';
import type { Caller } from './caller.ts';
import type { Clock } from '../clock.ts';

/** A delay that is safe for setTimeout. A later expiry is checked again then. */
const longestTimerMs = 24 * 60 * 60_000;

/** Ends a long-lived stream when the token that opened it expires. The client reconnects with its next token. */
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
