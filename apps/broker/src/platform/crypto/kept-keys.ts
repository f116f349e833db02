import type { Query } from '../db/database.ts';
import { deriveKey } from './master-key.ts';
import type { Vault } from './vault.ts';

/**
 * A key of 32 bytes for one purpose. It is derived from the master key once, then kept in the table kept_keys, sealed: what was
 * made with it, such as the folders of people, stays theirs when the master key is rotated. A version that derives it at each start
 * gets the same one as long as the master key is the first.
 */
export async function loadKeptKey(
  purpose: string,
  { query, vault, masterKey }: { query: Query; vault: Vault; masterKey: string },
): Promise<Buffer> {
  const context = { table: 'kept_keys', row: purpose, userId: '' };
  const first = deriveKey(masterKey, purpose).toString('base64url');
  // of brokers that start together, all go on with the row of the first
  await query('insert into kept_keys (purpose, sealed) values ($1, $2) on conflict do nothing', [
    purpose,
    vault.seal(context, first),
  ]);
  const { rows } = await query<{ sealed: string }>('select sealed from kept_keys where purpose = $1', [purpose]);
  const [row] = rows;
  if (!row) throw new Error(`the key for ${purpose} was not kept`);
  return Buffer.from(vault.open(context, row.sealed), 'base64url');
}
