import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { openEmbeddedDatabase } from './open-embedded-database.ts';
import { defaultCacheDir } from './start-image.ts';

test('a checkpoint leaves at most 128 MB of the log', async () => {
  const dataDir = join(temporaryRoot(), 'long-log');
  const db = await openEmbeddedDatabase({
    dataDir,
    log: pino({ level: 'silent' }),
    cacheDir: defaultCacheDir,
    migrations: [],
    durable: false,
  });
  const logMb = () => {
    const folder = join(dataDir, 'db', 'pg_wal');
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1024 / 1024;
  };
  // a file of 16 MB each, mostly empty
  for (let n = 0; n < 14; n++) await db.query(`select pg_logical_emit_message(false, 'x', 'y'), pg_switch_wal()`);
  expect(logMb()).toBeGreaterThan(200);
  await db.query('checkpoint');
  expect(logMb()).toBeLessThan(150);
  await db.close();
});
