import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { TokenKeys } from './rotating-key.ts';

const dayMs = 86_400_000;
/** Time that a key signs. */
const currentMs = 90 * dayMs;
/** Tokens live ten minutes: after this time, every token that a retired key signed has expired on every clock. */
const retiredMs = 60 * 60_000;

type KeyRow = { id: string; state: 'next' | 'current' | 'retired'; public_key: JWK | null; sealed_key: string };

/** The table signing_keys: next -> current -> retired -> deleted. */
export function createSigningKeyStore(parts: { db: Database; vault: Vault; ids: Ids; clock: Clock }) {
  const { db, vault, ids, clock } = parts;
  const open = (row: KeyRow) => vault.open(sealContext(row.id), row.sealed_key);

  async function insert(query: Query, purpose: 'tokens' | 'cookies', state: KeyRow['state']): Promise<void> {
    const id = ids.uuid();
    const { publicKey, secret } =
      purpose === 'tokens' ? await createTokenKey(id) : { publicKey: undefined, secret: ids.secret(32) };
    // on conflict: another replica that started at the same moment has created the current key
    await query(
      `insert into signing_keys (id, purpose, state, public_key, sealed_key, created_at, state_since)
       values ($1, $2, $3, $4::jsonb, $5, $6, $6) on conflict do nothing`,
      [
        id,
        purpose,
        state,
        publicKey ? JSON.stringify(publicKey) : null,
        vault.seal(sealContext(id), secret),
        new Date(clock.now()),
      ],
    );
  }

  async function read(purpose: 'tokens' | 'cookies'): Promise<KeyRow[]> {
    const { rows } = await db.query<KeyRow>(
      `select id, state, public_key, sealed_key from signing_keys where purpose = $1
       order by (state = 'current') desc, created_at desc`,
      [purpose],
    );
    return rows;
  }

  return {
    /** Creates the keys of a new installation. */
    async ensureFirst(): Promise<void> {
      for (const purpose of ['tokens', 'cookies'] as const) {
        const rows = await read(purpose);
        if (!rows.some(({ state }) => state === 'current')) await insert(db.query, purpose, 'current');
      }
    },

    async readCookieKey(): Promise<string> {
      const [row] = await read('cookies');
      if (!row) throw new Error('no cookie key after creating one');
      return open(row);
    },

    async readTokenKeys(): Promise<TokenKeys> {
      const rows = await read('tokens');
      const privateKeys = new Map(rows.map((row) => [row.id, parseJwk(open(row))]));
      const [first] = rows;
      if (first?.state !== 'current' || !first.public_key) throw new Error('no signing key after creating one');
      return {
        current: first.public_key,
        published: rows.flatMap((row) => (row.public_key ? [row.public_key] : [])),
        privateKeys,
      };
    },

    /**
     * Rotates the keys: creates a missing next key, makes it current after the current one's 90 days, and deletes
     * retired keys whose tokens have expired. @returns whether anything changed
     */
    rotate(): Promise<boolean> {
      return db.transaction(async (query) => {
        // one replica at a time; the others then find nothing to do
        await query(`select pg_advisory_xact_lock(hashtext('souk:signing-keys'))`);
        const at = new Date(clock.now());
        const before = (ms: number) => new Date(at.getTime() - ms);
        const states = await query<{ state: string; is_old: boolean }>(
          `select state, state_since <= $1 as is_old from signing_keys where purpose = 'tokens'`,
          [before(currentMs)],
        );
        const hasNext = states.rows.some(({ state }) => state === 'next');
        const isDue = states.rows.some(({ state, is_old: isOld }) => state === 'current' && isOld);
        if (hasNext && isDue) {
          await query(
            `update signing_keys set state = 'retired', state_since = $1
                       where purpose = 'tokens' and state = 'current'`,
            [at],
          );
          await query(
            `update signing_keys set state = 'current', state_since = $1
                       where purpose = 'tokens' and state = 'next'`,
            [at],
          );
        }
        if (!hasNext || isDue) await insert(query, 'tokens', 'next');
        const removed = await query(
          `delete from signing_keys where purpose = 'tokens' and state = 'retired' and state_since <= $1 returning id`,
          [before(retiredMs)],
        );
        return !hasNext || isDue || removed.rows.length > 0;
      });
    },
  };
}

/** The keys belong to no user. */
function sealContext(id: string) {
  return { table: 'signing_keys', row: id, userId: '' };
}

async function createTokenKey(id: string): Promise<{ publicKey: JWK; secret: string }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const marks = { kid: id, alg: 'ES256', use: 'sig' };
  return {
    publicKey: { ...(await exportJWK(publicKey)), ...marks },
    secret: JSON.stringify({ ...(await exportJWK(privateKey)), ...marks }),
  };
}

function parseJwk(text: string): JWK {
  const key: JWK = JSON.parse(text);
  return key;
}
