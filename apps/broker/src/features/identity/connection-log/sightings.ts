import { createHmac } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { cleanLabel } from './connection-event.ts';

/** A client that signs in does it within minutes of looking around. */
const joinedWithinMs = 10 * 60_000;
/** The same step of the same source is written once in this time. */
const repeatAfterMs = 60_000;
/** Of all strangers together and of one address: what is more is not kept, so that nobody fills the table. */
const maxPerMinute = 300;
const maxPerMinuteAddress = 20;

export type Visitor = { address: string; userAgent: string | undefined };
export type Sighting = {
  step: 'discovery' | 'registration';
  client_name: string | null;
  user_agent: string | null;
  /** Why a registration was refused; null where the step was passed. */
  refusal: string | null;
  at: Date;
};

/**
 * What clients do before anybody knows whose they are: kept for ten minutes under a keyed hash of address and user
 * agent, in the database, since the next request may reach another replica.
 */
export function createSightings(options: { db: Database; hashKey: string; clock: Clock; log: Log }) {
  const { db, clock, log } = options;
  const writing = new Set<Promise<void>>();
  let minute = { startedAtMs: 0, total: 0, byAddress: new Map<string, number>(), seen: new Set<string>() };

  function mayWrite(address: string, what: string): boolean {
    const nowMs = clock.now();
    if (nowMs - minute.startedAtMs >= repeatAfterMs) {
      minute = { startedAtMs: nowMs, total: 0, byAddress: new Map(), seen: new Set() };
    }
    const ofAddress = minute.byAddress.get(address) ?? 0;
    if (minute.seen.has(what) || minute.total >= maxPerMinute || ofAddress >= maxPerMinuteAddress) return false;
    minute.seen.add(what);
    minute.total++;
    minute.byAddress.set(address, ofAddress + 1);
    return true;
  }

  return {
    sourceOf: ({ address, userAgent = '' }: Visitor): string =>
      createHmac('sha256', options.hashKey).update(`sighting:${address}\n${userAgent}`).digest('base64url'),

    /** Takes it and returns at once. */
    note(visitor: Visitor, step: Sighting['step'], more: { clientName?: string; refusal?: string } = {}): void {
      const source = this.sourceOf(visitor);
      if (!mayWrite(visitor.address, `${source} ${step} ${more.refusal ?? ''}`)) return;
      const write = db
        .query(
          `insert into connection_sightings (source, step, client_name, user_agent, refusal, at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (source, step) do update set client_name = excluded.client_name, refusal = excluded.refusal,
             at = excluded.at`,
          [
            source,
            step,
            more.clientName === undefined ? null : cleanLabel(more.clientName),
            cleanLabel(visitor.userAgent),
            more.refusal ?? null,
            new Date(clock.now()),
          ],
        )
        .then(() => {})
        .catch((error: unknown) => log.warn({ err: error }, 'a visit of a client was not recorded'))
        .finally(() => writing.delete(write));
      writing.add(write);
    },

    /** What this source did in the last minutes; it is then somebody's, and no longer kept here. */
    async take(source: string): Promise<Sighting[]> {
      const { rows } = await db.query<Sighting>(
        `delete from connection_sightings where source = $1 returning step, client_name, user_agent, refusal, at`,
        [source],
      );
      const oldestMs = clock.now() - joinedWithinMs;
      return rows.filter(({ at }) => at.getTime() >= oldestMs);
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
