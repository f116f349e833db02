import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { NotTakenError } from '#platform/notices/not-taken-error.ts';
import { countSent, endNotice, postponeNotice, takeDue, type Outcome, type TakenNotice } from './notice-store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A process that is killed with a notice leaves it to the others after this time, longer than a mail server is waited for. */
const claimMs = 3 * minuteMs;
const longestWaitMs = 4 * hourMs;
/** A mail that arrives later than this would confuse more than it tells. */
const patienceMs = 3 * dayMs;
const alertPatienceMs = 6 * hourMs;
const atMostPerDay = 20;
const atMostInRun = 500;
/** With so many failures in a row the server is taken for away, and asked again in the next run. */
const failuresInRun = 3;

/** Sends one notice. @returns what came of it. @throws NotTakenError: it is to be tried again */
export type Deliver = (notice: TakenNotice) => Promise<{ outcome: Outcome; error?: string }>;

/**
 * Sends what is due, one notice after the other. Any broker may run it, and several at once: a notice is taken by one of them.
 * @returns how many were worked off
 */
export async function sendDue(parts: { query: Query; deliver: Deliver; clock: Clock; log: Log }): Promise<number> {
  const { query, deliver, clock, log } = parts;
  const inMs = (ms: number) => new Date(clock.now() + ms);
  let worked = 0;
  for (let failures = 0; worked < atMostInRun && failures < failuresInRun; worked += 1) {
    const notice = await takeDue(query, inMs(0), inMs(claimMs));
    if (!notice) break;
    // as a restored backup brings back what was sent long ago
    if (isTooOld(notice)) {
      await giveUp(notice);
      continue;
    }
    if (notice.userId !== undefined && (await countSent(query, notice.userId, inMs(-dayMs))) >= atMostPerDay) {
      await postponeNotice(query, notice, { nextAt: inMs(hourMs), counts: false });
      continue;
    }
    try {
      const ended = await deliver(notice);
      failures = 0;
      await endNotice(query, notice, { ...ended, at: inMs(0) });
    } catch (error) {
      if (await afterFailure(notice, error)) failures += 1;
    }
  }
  return worked;

  function isTooOld({ kind, createdAt }: TakenNotice): boolean {
    return clock.now() - createdAt.getTime() > (kind === 'alert' ? alertPatienceMs : patienceMs);
  }

  /** @param reason by default that of the last try */
  async function giveUp(notice: TakenNotice, reason?: string): Promise<void> {
    log.error({ notice: notice.kind, attempts: notice.attempts, reason }, 'a notice was given up');
    const ended = { outcome: 'given_up' as const, at: inMs(0), ...(reason !== undefined && { error: reason }) };
    await endNotice(query, notice, ended);
  }

  /** @returns whether others would fail likewise */
  async function afterFailure(notice: TakenNotice, error: unknown): Promise<boolean> {
    const known = error instanceof NotTakenError ? error : undefined;
    const reason = known?.message ?? 'it could not be written: see the log';
    const { kind, attempts } = notice;
    const facts = { notice: kind, attempts, ...(known ? { reason } : { err: error }) };
    if (known?.isForGood) {
      await giveUp(notice, reason);
    } else {
      log.warn(facts, 'a notice could not be sent; it is tried again');
      const waitMs = Math.min(longestWaitMs, minuteMs * 2 ** (attempts - 1));
      await postponeNotice(query, notice, { nextAt: inMs(waitMs), error: reason, counts: true });
    }
    return known?.isAway ?? false;
  }
}
