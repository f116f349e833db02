import { createHmac } from 'node:crypto';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';

/** Sign-ins that were begun and are not finished, of everyone. A row has 2 KiB, and 16 KiB at most. */
const mostOfAll = 10_000;
/** They are counted once in so many new ones: so many may be over the bound for a moment, for each broker. */
const countedEach = 50;

/** An interaction lasts so long (create-provider.ts), and an address may leave for a provider so often meanwhile. */
export const interactionMinutes = 15;

/**
 * /oauth/authorize keeps a row for each visitor, signed in or not: rows are bounded for an address and in all. Over the bound of all
 * the addresses with the most lose theirs first, so that a flood cannot push out who signs in from elsewhere.
 */
export type OpenInteractions = {
  /** A keyed hash, by which the rows of an address are counted: the address itself is not kept. */
  placeOf(address: string): string;
  /** Seconds until the address may begin another sign-in; 0 when it may now. @param underWay requests of it that may begin one */
  secondsToWait(address: string, underWay: number): Promise<number>;
  /** A person has seen the page of this sign-in. Of the rows of an address, those that were never seen are deleted first. */
  noteSeen(uid: string): Promise<void>;
  /** To be called for each that was stored. */
  noteStored(): Promise<void>;
};

export function createOpenInteractions({
  query,
  key,
  signInPerMinute,
  most = mostOfAll,
}: {
  query: Database['query'];
  key: string;
  signInPerMinute: number;
  most?: number | undefined;
}): OpenInteractions {
  const mostOfAddress = signInPerMinute * interactionMinutes;
  const placeOf = (address: string) =>
    createHmac('sha256', `${key}:interactions`).update(addressGroup(address)).digest('base64url').slice(0, 22);
  let stored = 0;

  return {
    placeOf,
    async secondsToWait(address, underWay) {
      const { rows } = await query<{ open: number; wait: number | null }>(
        `select count(*) as open, extract(epoch from min(expires_at) - now())::double precision as wait
         from oauth_records where model = 'Interaction' and place = $1 and expires_at > now()`,
        [placeOf(address)],
      );
      const { open = 0, wait = 0 } = rows[0] ?? {};
      return open + underWay < mostOfAddress ? 0 : Math.max(1, Math.ceil(wait ?? 1));
    },
    async noteSeen(uid) {
      await query(`update oauth_records set was_seen = true where model = 'Interaction' and id = $1 and not was_seen`, [
        sha256(uid),
      ]);
    },
    async noteStored() {
      stored++;
      if (stored % Math.min(countedEach, most) !== 0) return;
      await query(`delete from oauth_records where model = 'Interaction' and expires_at <= now()`);
      const { rows } = await query<{ open: number }>(
        `select count(*) as open from oauth_records where model = 'Interaction'`,
      );
      const over = (rows[0]?.open ?? 0) - most;
      if (over <= 0) return;
      // of each address the newest that was seen comes first, and the last of the longest lists go
      await query(
        `delete from oauth_records where model = 'Interaction' and id in (
           select id from (
             select id, was_seen, created_at,
               row_number() over (partition by place order by was_seen desc, created_at desc) as rank
             from oauth_records where model = 'Interaction'
           ) ranked order by rank desc, was_seen, created_at limit $1)`,
        [over],
      );
    },
  };
}
