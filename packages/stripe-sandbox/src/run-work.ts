import type { Named } from './objects/ids.ts';
import type { Storage } from './storage/storage.ts';
import { queueDeliveries } from './webhooks/emit-event.ts';
import { Work } from './work.ts';

export type RunWork = <T>(mode: 'read' | 'write', work: (work: Work) => Promise<T>) => Promise<T>;

/** Runs work in one transaction: what it changed is stored and its events are queued, or nothing when it throws. */
export function createRunWork(given: {
  storage: Storage;
  now(): number;
  newId: (kind: Named) => string;
  publicUrl: string;
  /** Webhooks have been queued. */
  onEvents(): void;
}): RunWork {
  return async (mode, run) => {
    const { result, events } = await given.storage.transaction(mode, async (rows) => {
      const work = new Work(rows, { nowMs: given.now(), newId: given.newId, publicUrl: given.publicUrl });
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
