import type { Storage } from './storage/storage.ts';
import { queueDeliveries } from './webhooks/emit-event.ts';
import { Work } from './work.ts';

export type RunWork = <T>(mode: 'read' | 'write', work: (work: Work) => Promise<T>) => Promise<T>;

/** Runs work in one transaction: its changes are stored and its events queued, or nothing if it throws. */
export function createRunWork(given: {
  storage: Storage;
  now(): number;
  publicUrl: string;
  /** Called after webhooks were queued. */
  onEvents(): void;
}): RunWork {
  return async (mode, run) => {
    const { result, events } = await given.storage.transaction(mode, async (rows) => {
      const work = new Work(rows, given.now(), given.publicUrl);
      const answer = await run(work);
      if (mode === 'write') {
        await queueDeliveries(work);
        await work.flush();
      }
      return { result: answer, events: work.events.length };
    });
    if (events > 0) given.onEvents();
    return result;
  };
}
