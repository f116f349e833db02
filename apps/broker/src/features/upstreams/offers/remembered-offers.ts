import { monotonicMs, type Clock } from '#platform/clock.ts';
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
  const reading = new Map<string, Promise<PersonOffers>>();
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

  function readAnew(userId: string): Promise<PersonOffers> {
    const work = read(userId, known.get(userId)?.offers)
      .then((offers) => {
        // what was read before a change is not trusted after it
        keep(userId, offers, reading.get(userId) === work ? monotonicMs(clock) + trustMs : 0);
        return offers;
      })
      .finally(() => {
        if (reading.get(userId) === work) reading.delete(userId);
      });
    reading.set(userId, work);
    return work;
  }

  return {
    get(userId) {
      const found = known.get(userId);
      if (found && found.untilMs > monotonicMs(clock)) return found.offers;
      // one read for all requests that need it at once
      return reading.get(userId) ?? readAnew(userId);
    },
    forget(userId) {
      const forgotten = userId === undefined ? known.values() : [known.get(userId)];
      for (const entry of forgotten) if (entry) entry.untilMs = 0;
      // a read that is under way answers those who asked before the change, not those who ask now
      if (userId === undefined) reading.clear();
      else reading.delete(userId);
    },
  };
}
