import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';

export type SigningKeys = {
  /** Private keys for signing, the current one first. */
  privateKeys: JWK[];
  /** Public keys that a token may be signed with: next and current, never a retired one. */
  publicKeys: JWK[];
  /** HMAC key of our cookies, the same on every replica. */
  cookieKey: string;
};

type KeyRow = { id: string; state: string; public_key: JWK | null; sealed_key: string };
type Purpose = 'tokens' | 'cookies';

/**
 * The keys of this installation, made at the first start. Private parts are sealed in the table.
 * Replicas that start at the same moment end up with the same keys: a partial unique index lets one insert win.
 */
export async function loadSigningKeys(options: {
  db: Database;
  vault: Vault;
  ids: Ids;
  clock: Clock;
}): Promise<SigningKeys> {
  const { db, vault } = options;
  const tokenRows = await ensureKeys(options, 'tokens', createTokenKey);
  const cookieRows = await ensureKeys(options, 'cookies', async (id) => ({
    publicKey: undefined,
    secret: options.ids.secret(32),
    id,
  }));
  const open = (row: KeyRow) => vault.open(sealContext(row.id), row.sealed_key);
  const [cookieRow] = cookieRows;
  if (!cookieRow) throw new Error('no cookie key after creating one');
  return {
    privateKeys: tokenRows.map((row) => parseJwk(open(row))),
    publicKeys: tokenRows.flatMap((row) => (row.public_key ? [row.public_key] : [])),
    cookieKey: open(cookieRow),
  };

  async function ensureKeys(
    { ids, clock }: { ids: Ids; clock: Clock },
    purpose: Purpose,
    create: (id: string) => Promise<{ publicKey: JWK | undefined; secret: string }>,
  ): Promise<KeyRow[]> {
    const existing = await readKeys(db, purpose);
    if (existing.some((row) => row.state === 'current')) return existing;
    const id = ids.uuid();
    const { publicKey, secret } = await create(id);
    await db.query(
      `insert into signing_keys (id, purpose, state, public_key, sealed_key, created_at)
       values ($1, $2, 'current', $3::jsonb, $4, $5) on conflict do nothing`,
      [
        id,
        purpose,
        publicKey ? JSON.stringify(publicKey) : null,
        vault.seal(sealContext(id), secret),
        new Date(clock.now()),
      ],
    );
    return readKeys(db, purpose);
  }
}

/** The installation's own: of no user. */
function sealContext(id: string) {
  return { table: 'signing_keys', row: id, userId: '' };
}

async function readKeys(db: Database, purpose: Purpose): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `select id, state, public_key, sealed_key from signing_keys
     where purpose = $1 and state <> 'retired' order by (state = 'current') desc, created_at`,
    [purpose],
  );
  return rows;
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
