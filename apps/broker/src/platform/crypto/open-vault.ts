import { ConfigError, type Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import { readMasterKey } from './master-key.ts';
import { masterKeyChannel, sealAsDatabaseSays } from './master-key-state.ts';
import { createVault, type KeyRing } from './vault.ts';
import { weaknessOf } from './weak-master-key.ts';

/** Opens the vault with all keys of the configuration. @throws ConfigError for a next key that can be guessed */
export function openVault(config: Pick<Config, 'masterKey' | 'nextMasterKey' | 'dataDir'>): KeyRing {
  const { nextMasterKey: next } = config;
  const weakness = next === undefined ? undefined : weaknessOf(next)?.replace('MASTER_KEY', 'MASTER_KEY_NEXT');
  if (weakness !== undefined) throw new ConfigError([weakness]);
  return createVault(readMasterKey(config), next === undefined ? [] : [next]);
}

/**
 * Seals with the key that the database names, now and after each rotation that begins at another broker.
 * @returns a function that stops following
 * @throws ConfigError if that key is missing
 */
export async function followRotations(
  db: Pick<Database, 'query' | 'listen'>,
  keys: KeyRing,
  log: Log,
): Promise<() => Promise<void>> {
  const follow = async () => {
    try {
      const before = keys.sealingId();
      await sealAsDatabaseSays(db.query, keys);
      if (keys.sealingId() !== before)
        log.info({ key: keys.sealingId() }, 'secrets are sealed with the next master key');
    } catch (error) {
      log.error({ err: error }, 'the master key that secrets are sealed with could not be read');
    }
  };
  // listens before reading, so that no rotation in between is missed
  const stop = await db.listen(
    masterKeyChannel,
    () => void follow(),
    () => void follow(),
  );
  await sealAsDatabaseSays(db.query, keys);
  return stop;
}
