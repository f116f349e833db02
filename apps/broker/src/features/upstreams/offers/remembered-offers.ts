import { monotonicMs, type Clock } from '#platform/clock.ts';
import { createSharedReads } from '#platform/work/shared-reads.ts';
import type { PersonOffers } from './person-offers.ts';

/** Every change is announced to every replica; this only bounds what a lost notice could cost. */
const trustMs = 5_000;
const maxPeople = 10_000;

/** What people were offered, kept in memory for a few seconds at a time and within a number of bytes. */
export type RememberedOffers = {
  /** Without a promise while it is known: the path of every call. */
  get(userId: string): PersonOffers | Promise<PersonOffers>;
  /** What was read of this person is out of date; undefined: of every person. */
  forget(userId: string | undefined): void;
};

type Entry = { offers: PersonOffers; untilMs: number };

/** @param read gets what was known before, so that it reads only the lists that have changed */
export function createRememberedOffers(
  read: (userId: string, before: PersonOffers | undefined) => Promise<PersonOffers>,
  { clock, maxBytes }: { clock: Clock; maxBytes: number },
): RememberedOffers {
  /** In the order in which they were read: who makes no requests is dropped first. */
  const known = new Map<string, Entry>();
  const reads = createSharedReads<PersonOffers>();
  let bytes = 0;

  function drop(userId: string): void {
    bytes -= known.get(userId)?.offers.bytes ?? 0;
    known.delete(userId);
  }

  function keep(userId: string, offers: PersonOffers, untilMs: number): void {
    drop(userId);
    known.set(userId, { offers, untilMs });
    bytes += offers.bytes;
    for (const other of known.keys()) {
      if (other === userId || (known.size <= maxPeople && bytes <= maxBytes)) break;
      drop(other);
    }
  }

  return {
    get(userId) {
      const found = known.get(userId);
      if (found && found.untilMs > monotonicMs(clock)) return found.offers;
      return reads.join(
        userId,
        () => read(userId, found?.offers),
        (offers, isCurrent) => keep(userId, offers, isCurrent ? monotonicMs(clock) + trustMs : 0),
      );
    },
    forget(userId) {
      reads.forget(userId);
      const forgotten = userId === undefined ? known.values() : [known.get(userId)];
      for (const entry of forgotten) if (entry) entry.untilMs = 0;
    },
  };
}
