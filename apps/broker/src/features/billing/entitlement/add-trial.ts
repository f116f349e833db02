import type { Database } from '#platform/db/database.ts';
import type { TrialAddresses } from './trial-addresses.ts';

type Trial = { id: string; userId: string; address: string; serverId: string; startsAt: Date; endsAt: Date };

/** @returns false where this person, or another account of their address, had a trial of this server before */
export async function addTrial(
  { id, userId, address, serverId, startsAt, endsAt }: Trial,
  { db, livemode, trialAddresses }: { db: Database; livemode: boolean; trialAddresses: TrialAddresses },
): Promise<boolean> {
  return db.transaction(async (query) => {
    // of two accounts of one address that start at the same time, the second waits here for the first
    if (!(await trialAddresses.note(query, address, serverId))) return false;
    const { rows } = await query(
      `insert into access_grants (id, user_id, livemode, server_id, kind, source, started_at, period_ends_at)
       values ($1, $2, $3, $4, 'trial', 'person', $5, $6)
       on conflict (user_id, server_id, livemode) where kind = 'trial' do nothing returning id`,
      [id, userId, livemode, serverId, startsAt, endsAt],
    );
    return rows.length === 1;
  });
}
