import { createHmac } from 'node:crypto';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';

/** Maximum number of unfinished sign-ins of all visitors. A row takes 2 KiB, at most 16 KiB. */
const mostOfAll = 10_000;
/** New rows between two counts: each broker may exceed the limit by that many for a moment. */
const countedEach = 50;

/** Lifetime of an interaction. During it, an address may leave for a provider signInPerMinute times a minute. */
export const interactionMinutes = 15;

export type OpenInteractions = ReturnType<typeof createOpenInteractions>;

/**
 * Limits unfinished sign-ins, because /oauth/authorize stores a row for every visitor: per address and in total. Above
 * the total, addresses with the most rows lose theirs first, so that a flood cannot displace other sign-ins.
 */
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
}) {
  const mostOfAddress = signInPerMinute * interactionMinutes;
  const placeOf = (address: string) =>
    createHmac('sha256', `${key}:interactions`).update(addressGroup(address)).digest('base64url').slice(0, 22);
  let stored = 0;

  return {
    /** Returns a keyed hash, by which the rows of an address are counted: the address itself is not stored. */
    placeOf,
    /**
     * Seconds until the address may begin another sign-in; 0 when it may now.
     * @param underWay its unanswered requests, each of which may begin one
     */
    async secondsToWait(address: string, underWay: number): Promise<number> {
      const { rows } = await query<{ open: number; wait: number | null }>(
        `select count(*) as open, extract(epoch from min(expires_at) - now())::double precision as wait
         from oauth_records where model = 'Interaction' and place = $1 and expires_at > now()`,
        [placeOf(address)],
      );
      const { open = 0, wait = 0 } = rows[0] ?? {};
      return open + underWay < mostOfAddress ? 0 : Math.max(1, Math.ceil(wait ?? 1));
    },
    /** Records that the user has seen the page of this sign-in: an address's unseen rows are deleted first. */
    async recordSeen(uid: string): Promise<void> {
      await query(`update oauth_records set was_seen = true where model = 'Interaction' and id = $1 and not was_seen`, [
        sha256(uid),
      ]);
    },
    /** Call it after each row is stored. Deletes rows above the limit now and then. */
    async recordStored(): Promise<void> {
      stored++;
      if (stored % Math.min(countedEach, most) !== 0) return;
      await query(`delete from oauth_records where model = 'Interaction' and expires_at <= now()`);
      const { rows } = await query<{ open: number }>(
        `select count(*) as open from oauth_records where model = 'Interaction'`,
      );
      const over = (rows[0]?.open ?? 0) - most;
      if (over <= 0) return;
      // ranks each address's rows, seen and newest first, and deletes from the end of the longest lists
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
