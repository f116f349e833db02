import { ConfigError } from '../config.ts';
import type { Migration, Query } from '../db/database.ts';
import type { KeyRing } from './vault.ts';

export const masterKeyMigrations: readonly Migration[] = [
  {
    name: '0003-platform-master-keys',
    statements: [
      // The id of the key that seals secrets. Without a row, the key was never rotated, and each broker's own key applies.
      `create table master_keys (
        only_row boolean primary key default true check (only_row),
        key_id text not null,
        former_id text not null,
        begun_at timestamptz not null default clock_timestamp(),
        finished_at timestamptz
      )`,
      // Keys that were derived from the first master key, and do not change when it is rotated.
      'create table kept_keys (purpose text primary key, sealed text not null)',
    ],
  },
];

export const masterKeyChannel = 'souk_master_key';

export type KeyRotation = { keyId: string; formerId: string; isFinished: boolean };

/** @returns undefined if the master key was never rotated */
export async function readRotation(query: Query): Promise<KeyRotation | undefined> {
  const { rows } = await query<KeyRotation>(
    `select key_id as "keyId", former_id as "formerId", finished_at is not null as "isFinished" from master_keys`,
  );
  return rows[0];
}

/**
 * Makes the key ring seal with the key that the database names.
 * @throws ConfigError if that key is missing, or if the former key is missing while secrets are still sealed with it
 */
export async function sealAsDatabaseSays(query: Query, keys: KeyRing): Promise<KeyRotation | undefined> {
  const rotation = await readRotation(query);
  if (!rotation) return undefined;
  const { keyId, formerId, isFinished } = rotation;
  if (!keys.ids.includes(keyId))
    throw new ConfigError([
      isFinished
        ? `MASTER_KEY: the master key was rotated to the one with the id ${keyId}: set MASTER_KEY, or MASTER_KEY_FILE, to it`
        : `MASTER_KEY_NEXT: the master key is being rotated to the one with the id ${keyId}: set MASTER_KEY_NEXT, or MASTER_KEY_NEXT_FILE, to it`,
    ]);
  if (!isFinished && !keys.ids.includes(formerId))
    throw new ConfigError([
      `MASTER_KEY: its rotation is not finished, and the former key, with the id ${formerId}, is missing: set MASTER_KEY to that one and MASTER_KEY_NEXT to the new one, then run "souk rotate-key" again`,
    ]);
  keys.sealWith(keyId);
  return rotation;
}
