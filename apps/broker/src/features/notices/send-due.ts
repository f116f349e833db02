import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { DeliveryError } from '#platform/notices/delivery-error.ts';
import { countSent, endNotice, postponeNotice, claimDue, type Outcome, type ClaimedNotice } from './notice-store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Time after which other processes take over a notice of a killed process. Longer than the wait for a mail server. */
const claimMs = 3 * minuteMs;
const longestWaitMs = 4 * hourMs;
/** Age after which a mail is given up: it would confuse its reader. */
const maxAgeMs = 3 * dayMs;
const maxAlertAgeMs = 6 * hourMs;
const maxPerDay = 20;
const maxPerRun = 500;
/** Consecutive failures after which the mail server is considered down until the next run. */
const failuresInRun = 3;

/** Sends one notice. @throws DeliveryError if it has to be retried */
export type Deliver = (notice: ClaimedNotice) => Promise<{ outcome: Outcome; error?: string }>;

/**
 * Sends due notices sequentially. Several brokers may run it concurrently: each notice is taken by one of them.
 * @returns the number of processed notices
 */
export async function sendDue(parts: { query: Query; deliver: Deliver; clock: Clock; log: Log }): Promise<number> {
  const { query, deliver, clock, log } = parts;
  const inMs = (ms: number) => new Date(clock.now() + ms);
  let processed = 0;
  for (let failures = 0; processed < maxPerRun && failures < failuresInRun; processed += 1) {
    const notice = await claimDue(query, inMs(0), inMs(claimMs));
    if (!notice) break;
    // because a restored backup brings back notices that were sent long ago
    if (isTooOld(notice)) {
      await giveUp(notice);
      continue;
    }
    if (notice.userId !== undefined && (await countSent(query, notice.userId, inMs(-dayMs))) >= maxPerDay) {
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
  return processed;

  function isTooOld({ kind, createdAt }: ClaimedNotice): boolean {
    return clock.now() - createdAt.getTime() > (kind === 'alert' ? maxAlertAgeMs : maxAgeMs);
  }

  /** @param reason by default that of the last attempt */
  async function giveUp(notice: ClaimedNotice, reason?: string): Promise<void> {
    log.error({ notice: notice.kind, attempts: notice.attempts, reason }, 'a notice was given up');
    const ended = { outcome: 'given_up' as const, at: inMs(0), ...(reason !== undefined && { error: reason }) };
    await endNotice(query, notice, ended);
  }

  /** @returns whether other notices would fail too */
  async function afterFailure(notice: ClaimedNotice, error: unknown): Promise<boolean> {
    const known = error instanceof DeliveryError ? error : undefined;
    const reason = known?.message ?? 'an unexpected error: see the log';
    const { kind, attempts } = notice;
    const facts = { notice: kind, attempts, ...(known ? { reason } : { err: error }) };
    if (known?.isPermanent) {
      await giveUp(notice, reason);
    } else {
      log.warn(facts, 'a notice could not be sent; it will be retried');
      const waitMs = Math.min(longestWaitMs, minuteMs * 2 ** (attempts - 1));
      await postponeNotice(query, notice, { nextAt: inMs(waitMs), error: reason, counts: true });
    }
    return known?.isOutage ?? false;
  }
}
