import { errors, type Adapter } from 'oidc-provider';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { createRecordFormat, type RecordRow } from './provider/record-format.ts';
import { countsAsUsed, mayBeUsed, type RefreshReuse } from './tokens/refresh-reuse.ts';

type RecordStoreOptions = {
  namespace?: string;
  reuse?: Pick<RefreshReuse, 'currentRenewal'>;
  interactions?: {
    /** Hash of the address of a request that begins a sign-in; undefined when the request continues one. */
    currentPlace(): string | undefined;
    recordStored(): Promise<void>;
  };
};

/**
 * oidc-provider's storage over the table oauth_records, on both engines.
 * @param options.namespace separates the records of a second provider; the authorization server has none
 * @param options.interactions limits unfinished sign-ins; without it they are unlimited
 * @param options.reuse tells a retried web renewal from reuse; without it there are no such renewals
 */
export function createRecordStore(
  db: Database,
  vault: Vault,
  { namespace = '', reuse, interactions }: RecordStoreOptions,
): (model: string) => Adapter {
  return (modelName) => {
    const { model, keyOf, toStored, fromStored } = createRecordFormat(vault, namespace, modelName);
    return {
      async upsert(id, payload, expiresInSeconds) {
        const place = model === 'Interaction' ? interactions?.currentPlace() : undefined;
        // locks the user's row: once the deletion of their account has begun, nothing is issued for them
        const { rows } = await db.query(
          `with owner as (select id from users where id = $8::uuid and deleted_at is null for share)
           insert into oauth_records (model, id, payload, grant_id, uid, account_id, expires_at, place)
           select $1::text, $2::text, $3::jsonb, $4::text, $5::text, $6::text,
             now() + make_interval(secs => $7::double precision), $9::text
           where $8::uuid is null or exists (select from owner)
           on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
             uid = excluded.uid, account_id = excluded.account_id, expires_at = excluded.expires_at,
             -- a client that registers again is in use (reap-records.ts)
             created_at = case when excluded.model = 'Client' then excluded.created_at else oauth_records.created_at end
           returning id`,
          [
            model,
            keyOf(id),
            JSON.stringify(toStored(id, payload)),
            payload.grantId ?? null,
            payload.uid ?? null,
            payload.accountId ?? null,
            // a client's registration never expires
            expiresInSeconds || null,
            // the accounts of another namespace are not our users
            namespace === '' ? (payload.accountId ?? null) : null,
            place ?? null,
          ],
        );
        if (rows.length === 0) throw new errors.InvalidGrant('the account no longer exists');
        if (place !== undefined) await interactions?.recordStored();
      },

      async find(id) {
        const key = keyOf(id);
        const { rows } = await db.query<RecordRow>(
          `select payload, ${countsAsUsed('$3')} as consumed from oauth_records
           where model = $1 and id = $2 and (expires_at is null or expires_at > now())`,
          [model, key, reuse?.currentRenewal() ?? null],
        );
        return rows[0] && fromStored(rows[0], key, id);
      },

      async findByUid(uid) {
        const { rows } = await db.query<RecordRow & { id: string }>(
          `select id, payload, consumed_at is not null as consumed from oauth_records
           where model = $1 and uid = $2 and (expires_at is null or expires_at > now())`,
          [model, uid],
        );
        return rows[0] && fromStored(rows[0], rows[0].id, undefined);
      },

      // the device flow is off
      findByUserCode: () => Promise.resolve(undefined),

      /** Compare-and-set: when requests race with one code or token, one wins and the others get invalid_grant. */
      async consume(id) {
        const { rows } = await db.query(
          `update oauth_records set consumed_at = coalesce(consumed_at, now()), renewal_hash = coalesce(renewal_hash, $3)
           where model = $1 and id = $2 and ${mayBeUsed('$3')} returning id`,
          [model, keyOf(id), reuse?.currentRenewal() ?? null],
        );
        if (rows.length === 0) throw new errors.InvalidGrant('already used');
      },

      async destroy(id) {
        await db.query(`delete from oauth_records where model = $1 and id = $2`, [model, keyOf(id)]);
      },

      async revokeByGrantId(grantId) {
        await db.query(`delete from oauth_records where model = $1 and grant_id = $2`, [model, grantId]);
      },
    };
  };
}
