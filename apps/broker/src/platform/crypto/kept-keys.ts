import type { Query } from '../db/database.ts';
import { deriveKey } from './master-key.ts';
import type { Vault } from './vault.ts';

/**
 * Returns a key of 32 bytes for one purpose. It is derived from the master key once and then stored, sealed, in the table
 * kept_keys, so that what was made with it, such as the folders of users, survives a rotation of the master key. An older
 * version, which derives it at each start, gets the same key until the first rotation.
 */
export async function loadKeptKey(
  purpose: string,
  { query, vault, masterKey }: { query: Query; vault: Vault; masterKey: string },
): Promise<Buffer> {
  const context = { table: 'kept_keys', row: purpose, userId: '' };
  const first = deriveKey(masterKey, purpose).toString('base64url');
  // brokers that start concurrently all use the first one's row
  await query('insert into kept_keys (purpose, sealed) values ($1, $2) on conflict do nothing', [
    purpose,
    vault.seal(context, first),
  ]);
  const { rows } = await query<{ sealed: string }>('select sealed from kept_keys where purpose = $1', [purpose]);
  const [row] = rows;
  if (!row) throw new Error(`the key for ${purpose} was not stored`);
  return Buffer.from(vault.open(context, row.sealed), 'base64url');
}
