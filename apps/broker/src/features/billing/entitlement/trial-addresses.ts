import { createHmac } from 'node:crypto';
import { foldEmail } from '@souk/contract/fold-email.ts';
import type { Query } from '#platform/db/database.ts';

/**
 * Records which addresses have had the trial of which servers. The records outlive a deleted account, so that each address gets
 * each trial once. They have keyed fingerprints, and neither a user nor a time.
 */
export type TrialAddresses = {
  /** @returns servers the user has already tried, with this account or another one of their address */
  read(query: Query, person: { userId: string; address: string }): Promise<ReadonlySet<string>>;
  /** @returns false where the address has had this trial before */
  note(query: Query, address: string, serverId: string): Promise<boolean>;
  /** Stores every trial of an account that is about to be deleted: the oldest were started before addresses were stored. */
  recordAllOf(query: Query, address: string, userId: string): Promise<void>;
};

/** @param options.key secret of the fingerprints */
export function createTrialAddresses({ livemode, key }: { livemode: boolean; key: Uint8Array }): TrialAddresses {
  // other fingerprints than those of welcome credits, so that the two tables cannot be joined
  const fingerprintOf = (address: string) =>
    createHmac('sha256', key)
      .update(`trial ${foldEmail(address)}`)
      .digest('base64url');
  return {
    async read(query, { userId, address }) {
      const { rows } = await query<{ server_id: string }>(
        `select server_id from trial_addresses where fingerprint = $1 and livemode = $2
         union select server_id from access_grants where user_id = $3 and livemode = $2 and kind = 'trial'`,
        [fingerprintOf(address), livemode, userId],
      );
      return new Set(rows.map((row) => row.server_id));
    },
    async note(query, address, serverId) {
      const { rows } = await query(
        `insert into trial_addresses (fingerprint, livemode, server_id) values ($1, $2, $3)
         on conflict do nothing returning server_id`,
        [fingerprintOf(address), livemode, serverId],
      );
      return rows.length === 1;
    },
    async recordAllOf(query, address, userId) {
      await query(
        `insert into trial_addresses (fingerprint, livemode, server_id)
         select $1, livemode, server_id from access_grants where user_id = $2 and kind = 'trial'
         on conflict do nothing`,
        [fingerprintOf(address), userId],
      );
    },
  };
}
