import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import { countsAsUsed, mayBeUsed, type RefreshReuse } from './tokens/refresh-reuse.ts';

/** Models whose id is the bearer value itself: stored and looked up by hash (design: no bearer value at rest). */
const bearerModels: ReadonlySet<string> = new Set([
  'AuthorizationCode',
  'RefreshToken',
  'AccessToken',
  'Session',
  'Interaction',
]);

type RecordStoreOptions = {
  namespace?: string;
  reuse?: Pick<RefreshReuse, 'currentRenewal'>;
  interactions?: {
    /** Where the sign-in comes from that this request begins; undefined for one that goes on with it. */
    currentPlace(): string | undefined;
    noteStored(): Promise<void>;
  };
};

type RecordRow = { payload: AdapterPayload; consumed: boolean };

/**
 * oidc-provider's storage over the table oauth_records, on both engines.
 * @param options.namespace keeps a second provider's records apart (none for the authorization server).
 * @param options.interactions bounds the sign-ins that are not finished; without it they have no bound
 * @param options.reuse tells the retry of a web renewal from reuse; without it there are no such renewals
 */
export function createRecordStore(
  db: Database,
  vault: Vault,
  { namespace = '', reuse, interactions }: RecordStoreOptions = {},
): (model: string) => Adapter {
  return (modelName) => {
    const model = namespace + modelName;
    const isBearer = bearerModels.has(modelName);
    const keyOf = (id: string) => (isBearer ? sha256(id) : id);
    const secretContext = (key: string) => ({ table: 'oauth_records', row: `${model}:${key}`, userId: '' });

    /** What is kept: no bearer value, and a client's secret sealed. */
    function toStored(id: string, payload: AdapterPayload): AdapterPayload {
      const key = keyOf(id);
      const stored: AdapterPayload = { ...payload };
      if (isBearer) delete stored.jti;
      // An interaction's return address ends with its id, which is also its cookie.
      if (isBearer && stored.returnTo?.endsWith(id)) stored.returnTo = stored.returnTo.slice(0, -id.length);
      // The interaction's copy of the session carries the session cookie, which nothing reads.
      if (stored.session) {
        const { accountId, uid, acr, amr } = stored.session;
        stored.session = { accountId, uid, ...(acr !== undefined && { acr }), ...(amr !== undefined && { amr }) };
      }
      if (typeof stored.client_secret === 'string') {
        stored.client_secret = vault.seal(secretContext(key), stored.client_secret);
      }
      return stored;
    }

    function fromStored(row: RecordRow, key: string, id: string | undefined): AdapterPayload {
      const payload: AdapterPayload = { ...row.payload };
      if (row.consumed) payload.consumed = true;
      if (isBearer && id !== undefined) {
        payload.jti = id;
        if (payload.returnTo?.endsWith('/')) payload.returnTo += id;
      }
      if (typeof payload.client_secret === 'string') {
        payload.client_secret = vault.open(secretContext(key), payload.client_secret);
      }
      return payload;
    }

    return {
      async upsert(id, payload, expiresInSeconds) {
        const place = model === 'Interaction' ? interactions?.currentPlace() : undefined;
        // The person's row is locked: once the deletion of their account has begun, nothing is issued for them.
        const { rows } = await db.query(
          `with owner as (select id from users where id = $8::uuid and deleted_at is null for share)
           insert into oauth_records (model, id, payload, grant_id, uid, account_id, expires_at, place)
           select $1::text, $2::text, $3::jsonb, $4::text, $5::text, $6::text,
             now() + make_interval(secs => $7::double precision), $9::text
           where $8::uuid is null or exists (select from owner)
           on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
             uid = excluded.uid, account_id = excluded.account_id, expires_at = excluded.expires_at,
             -- a client that registers anew is in use (reap-records.ts)
             created_at = case when excluded.model = 'Client' then excluded.created_at else oauth_records.created_at end
           returning id`,
          [
            model,
            keyOf(id),
            JSON.stringify(toStored(id, payload)),
            payload.grantId ?? null,
            payload.uid ?? null,
            payload.accountId ?? null,
            // a client's registration has no end
            expiresInSeconds || null,
            // the accounts of another namespace are no users of ours
            namespace === '' ? (payload.accountId ?? null) : null,
            place ?? null,
          ],
        );
        if (rows.length === 0) throw new errors.InvalidGrant('the account no longer exists');
        if (place !== undefined) await interactions?.noteStored();
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

      // The device flow is off.
      findByUserCode: () => Promise.resolve(undefined),

      /** Compare-and-set: of requests that race with one code or token, one wins; the others get invalid_grant. */
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
