import { asRecords } from '#platform/db/background-work.ts';
import type { Database } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';
import type { EndedCall } from '../leases/lease-hold.ts';
import type { LedgerTimes } from '../ledger.ts';
import { recordEndedCalls } from './ended-calls.ts';
import type { Batch } from './noted-batches.ts';
import { UnnotedAnswers } from './unnoted-answers.ts';

export const maxCallsPerBatch = 512;
/** Answered calls that a kill may lose (I3): further answers wait until a note is written. */
const maxUnnoted = 10;

/** Records ended calls soon, because a kill loses what is not recorded: one small row for many calls. */
export type CallNotes = {
  /**
   * Adds a call that ended. It is recorded together with the calls of the next `noteMs`.
   * @returns undefined: it may be answered at once. Otherwise a promise that resolves when it may be answered: too many
   *   answered calls are not recorded
   */
  add(call: EndedCall): Promise<void> | undefined;
  /** Records the rest. @throws when the database is unreachable: `isRefused` is true until a call succeeds */
  note(): Promise<void>;
  isRefused(): boolean;
  size(): number;
  /** Ends the notes that a timer writes. Further ones need a call of `note`. */
  stop(): void;
};

export function createCallNotes(parts: {
  db: Pick<Database, 'query'>;
  livemode: Livemode;
  brokerId: () => string;
  uuid: () => string;
  times: LedgerTimes;
  noted: (batch: Batch) => void;
  /** The database refuses notes now: call `note` again. */
  onRefused: () => void;
}): CallNotes {
  const { livemode, times } = parts;
  const query = asRecords(parts.db.query);
  let waiting: EndedCall[] = [];
  const answers = new UnnotedAnswers(times.unnotedMs);
  /** The batch that is being recorded, or may be recorded already. */
  let next: Batch | undefined;
  let timer: NodeJS.Timeout | undefined;
  let noting: Promise<void> | undefined;
  let isStopped = false;

  const size = () => waiting.length + (next?.calls.length ?? 0);
  const isRefused = () => next !== undefined && !noting;

  function add(call: EndedCall): Promise<void> | undefined {
    const unnoted = size() - answers.size;
    waiting.push(call);
    const mayBeAnswered = unnoted < maxUnnoted || isRefused() || isStopped;
    const answer = mayBeAnswered ? undefined : answers.wait(call);
    // the first waiting answer hurries the note
    if (!noting && !next) arm(answer && answers.size === 1 ? 0 : times.noteMs);
    return answer;
  }

  function arm(delayMs: number): void {
    if (isStopped || (timer && delayMs > 0)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      note().catch(parts.onRefused);
    }, delayMs);
  }

  async function note(): Promise<void> {
    // calls that ended after the note under way began are in the next one
    await noting;
    clearTimeout(timer);
    timer = undefined;
    noting ??= recordNext().finally(() => (noting = undefined));
    try {
      await noting;
    } catch (error) {
      answers.answerAll();
      throw error;
    }
    if (waiting.length > 0) arm(answers.size > 0 ? 0 : times.noteMs);
  }

  async function recordNext(): Promise<void> {
    while (next || waiting.length > 0) {
      next ??= { id: parts.uuid(), calls: waiting.splice(0, maxCallsPerBatch) };
      await recordEndedCalls(query, livemode, parts.brokerId(), next.id, next.calls);
      answers.answer(next.calls);
      const batch = next;
      next = undefined;
      parts.noted(batch);
      if (waiting.length < maxCallsPerBatch) return;
    }
  }

  return {
    add,
    note,
    isRefused,
    size,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      answers.answerAll();
    },
  };
}
