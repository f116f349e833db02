import { createHmac } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

/** A client that signs in does it within minutes of looking around. */
const joinedWithinMs = 10 * 60_000;
/** The same source is written once in this time. */
const repeatAfterMs = 60_000;
/** Of all strangers together and of one address: what is more is not kept, so that nobody fills the table. */
const maxPerMinute = 300;
const maxPerMinuteAddress = 20;

export type Visitor = { address: string; userAgent: string | undefined };

/**
 * That a client asked where to sign in, before anybody knows whose it is: kept for ten minutes under a keyed hash of
 * address and user agent, in the database, since the next request may reach another replica. All people of a hosted
 * client share both, so nothing else is kept: no text, nor what else a stranger did.
 */
export function createSightings(options: { db: Database; hashKey: string; clock: Clock; log: Log }) {
  const { db, clock, log } = options;
  const writing = new Set<Promise<void>>();
  let minute = { startedAtMs: 0, total: 0, byAddress: new Map<string, number>(), seen: new Set<string>() };

  function mayWrite(address: string, source: string): boolean {
    const nowMs = clock.now();
    if (nowMs - minute.startedAtMs >= repeatAfterMs) {
      minute = { startedAtMs: nowMs, total: 0, byAddress: new Map(), seen: new Set() };
    }
    const ofAddress = minute.byAddress.get(address) ?? 0;
    if (minute.seen.has(source) || minute.total >= maxPerMinute || ofAddress >= maxPerMinuteAddress) return false;
    minute.seen.add(source);
    minute.total++;
    minute.byAddress.set(address, ofAddress + 1);
    return true;
  }

  return {
    sourceOf: ({ address, userAgent = '' }: Visitor): string =>
      createHmac('sha256', options.hashKey).update(`sighting:${address}\n${userAgent}`).digest('base64url'),

    /** Takes it and returns at once. */
    note(visitor: Visitor): void {
      const source = this.sourceOf(visitor);
      if (!mayWrite(visitor.address, source)) return;
      const write = db
        .query(
          `insert into connection_sightings (source, at) values ($1, $2)
           on conflict (source) do update set at = excluded.at`,
          [source, new Date(clock.now())],
        )
        .then(() => {})
        .catch((error: unknown) => log.warn({ err: error }, 'a visit of a client was not recorded'))
        .finally(() => writing.delete(write));
      writing.add(write);
    },

    /** Whether this source asked in the last minutes. Told once: what was asked once counts for one sign-in. */
    async take(source: string): Promise<boolean> {
      minute.seen.delete(source);
      const { rows } = await db.query(
        `delete from connection_sightings where source = $1 returning at > $2 as is_recent`,
        [source, new Date(clock.now() - joinedWithinMs)],
      );
      return rows.some((row) => row['is_recent'] === true);
    },

    async reap(): Promise<void> {
      await db.query(`delete from connection_sightings where at < $1`, [new Date(clock.now() - joinedWithinMs)]);
    },

    /** Resolves when what was noted so far is written. */
    async settle(): Promise<void> {
      await Promise.all(writing);
    },
  };
}
