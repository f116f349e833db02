import { asRecords } from '#platform/db/background-work.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { UsageRows } from '../usage-rows.ts';
import type { Livemode } from '../accounts/accounts.ts';
import { dropEndedCalls, noteEndedCalls } from './ended-calls.ts';
import type { EndedCall } from '../leases/lease-hold.ts';
import type { LeaseBook } from '../leases/lease-book.ts';
import { NotedBatches, type Batch } from './noted-batches.ts';
import type { FinishedCall } from './settle-calls.ts';
import { settleEach } from './settle-each.ts';
import { UnnotedAnswers } from './unnoted-answers.ts';

const mostAtOnce = 512;
/** Answered calls that a kill may lose (I3): further answers wait until a note is written. */
const mostUnnoted = 10;
/** PGlite has no process that reuses the space of deleted rows: some 5 MB of them are enough. */
const droppedForVacuum = 500;

/**
 * The calls that ended and are yet to be charged. First they are noted in the database, soon, for a kill loses what is not:
 * that is one small row for many calls. Then they are charged, many at a time: a small settlement costs nearly as much as a
 * large one.
 */
export type Settlements = {
  /**
   * A call ended. It is noted with those of the next `noteMs`.
   * @returns undefined: it may be answered at once; else resolves when it may be: too many answered calls are not noted
   */
  keep(call: EndedCall): Promise<void> | undefined;
  /** Notes what is not noted. @throws when the database is away: `isRefused` until it is called again with success */
  note(): Promise<void>;
  /** The last note failed. */
  isRefused(): boolean;
  /** Calls that are not charged. */
  size(): number;
  /** Whether nothing is left in memory or in the database. */
  isOver(): boolean;
  /** Until what is noted is to be charged: it has waited long enough, or fills a statement. Not above 0: now. */
  untilDueMs(): number;
  /** Charges the noted calls of one statement. @throws when the database is away: they are kept, and may be charged already */
  settle(): Promise<void>;
  /** No more notes by themselves. */
  stop(): void;
};

export function createSettlements({
  db,
  livemode,
  brokerId,
  uuid,
  usage,
  book,
  noteMs,
  unnotedMs,
  settleMs,
  nowMs,
  onNoted,
  onRefused,
  log,
}: {
  db: Pick<Database, 'query' | 'engine'>;
  livemode: Livemode;
  /** Of this broker now. */
  brokerId: () => string;
  uuid: () => string;
  usage: Pick<UsageRows, 'tell'>;
  book: Pick<LeaseBook, 'release' | 'finish' | 'drainUser'>;
  /** How long an ended call waits for others before they are noted together, and noted calls before they are charged. */
  noteMs: number;
  /** How long an answer waits at most until its call is noted. */
  unnotedMs: number;
  settleMs: number;
  nowMs: () => number;
  /** There is something to charge. */
  onNoted: () => void;
  /** The database does not take notes now: `note` is to be called again. */
  onRefused: () => void;
  log: Log;
}): Settlements {
  const query = asRecords(db.query);
  /** In memory alone. */
  let waiting: EndedCall[] = [];
  const answers = new UnnotedAnswers(unnotedMs);
  /** Being noted, or perhaps noted. */
  let next: Batch | undefined;
  const noted = new NotedBatches();
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let noting: Promise<void> | undefined;
  let isStopped = false;

  function keep(call: EndedCall): Promise<void> | undefined {
    const unnoted = waiting.length + (next?.calls.length ?? 0) - answers.size;
    waiting.push(call);
    const mayBeAnswered = unnoted < mostUnnoted || isRefused() || isStopped;
    const answer = mayBeAnswered ? undefined : answers.wait(call);
    // the first that waits hurries the note
    if (!noting && !next) arm(answer && answers.size === 1 ? 0 : noteMs);
    return answer;
  }

  function arm(delayMs: number): void {
    if (isStopped || (timer && delayMs > 0)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      note().catch(onRefused);
    }, delayMs);
  }

  const isRefused = () => next !== undefined && !noting;

  async function note(): Promise<void> {
    // what ended since the note under way began is in the next one
    await noting;
    clearTimeout(timer);
    timer = undefined;
    noting ??= noteNext().finally(() => (noting = undefined));
    try {
      await noting;
    } catch (error) {
      answers.answerAll();
      throw error;
    }
    if (waiting.length > 0) arm(answers.size > 0 ? 0 : noteMs);
  }

  async function noteNext(): Promise<void> {
    while (next || waiting.length > 0) {
      next ??= { id: uuid(), calls: waiting.splice(0, mostAtOnce) };
      await noteEndedCalls(query, livemode, brokerId(), next.id, next.calls);
      answers.answer(next.calls);
      noted.add(next, nowMs());
      next = undefined;
      onNoted();
      if (waiting.length < mostAtOnce) return;
    }
  }

  async function settle(): Promise<void> {
    const batches = noted.take(mostAtOnce);
    const left = new Set(batches.flatMap(({ calls }) => calls));
    try {
      if (left.size > 0) {
        await settleEach(query, livemode, [...left], {
          settled(calls, { users, rows, isFree, asked, lost }) {
            usage.tell(rows);
            for (const call of calls) {
              if (!users.has(call.row.userId)) continue;
              left.delete(call);
              if (isFree(call)) book.release(call.lease, call.row.credits);
              else book.finish(call.lease);
            }
            for (const userId of asked) book.drainUser(userId);
            if (lost > 0) log.warn({ calls: lost }, 'calls were not charged: their leases had gone back');
          },
          refused(call, error) {
            left.delete(call);
            logRefused(log, call, error);
            book.release(call.lease, call.row.credits);
          },
        });
      }
    } finally {
      noted.putBack(batches, left, nowMs());
    }
    await noted.dropOver(drop);
  }

  async function drop(ids: readonly string[]): Promise<void> {
    await dropEndedCalls(query, ids);
    dropped += ids.length;
    if (db.engine !== 'pglite' || dropped < droppedForVacuum) return;
    dropped = 0;
    await query('vacuum credit_ended_calls');
  }

  return {
    keep,
    note,
    isRefused,
    size: () => waiting.length + (next?.calls.length ?? 0) + noted.calls,
    isOver: () => waiting.length + (next?.calls.length ?? 0) === 0 && noted.isOver,
    untilDueMs() {
      if (noted.calls === 0) return Infinity;
      return noted.calls >= mostAtOnce ? 0 : noted.sinceMs + settleMs - nowMs();
    },
    settle,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      answers.answerAll();
    },
  };
}

export function logRefused(log: Log, { row }: FinishedCall, error: unknown): void {
  log.error({ err: error, callId: row.callId, credits: row.credits }, 'a call could not be charged');
}
