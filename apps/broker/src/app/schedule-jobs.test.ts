import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEmbeddedDatabase } from '#platform/db/embedded/open-embedded-database.ts';
import { defaultCacheDir } from '#platform/db/embedded/start-image.ts';
import { createLog } from '#platform/log.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

test('the log of the embedded database shrinks automatically: soon after the start, and again an hour later', async () => {
  const dataDir = mkdtempSync(join(temporaryRoot(), 'checkpoint-'));
  const folder = join(dataDir, 'db', 'pg_wal');
  const logMb = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1024 ** 2;
  const db = await openEmbeddedDatabase({
    dataDir,
    log: createLog('silent'),
    cacheDir: defaultCacheDir,
    migrations,
    durable: false,
  });
  // leftovers of a long run without a checkpoint
  for (let n = 0; n < 165; n++) await db.query(`select pg_logical_emit_message(false, 'x', repeat('y', 1024 * 1024))`);
  expect(logMb()).toBeGreaterThan(160);
  const app = await startTestApp({ db });
  try {
    await waitUntil('the job to run', () => logMb() < 150);
    const { rows } = await db.query<{ minutes: number }>(
      `select extract(epoch from start_after - now())::float8 / 60 as minutes from pgboss.job
        where name = 'database-checkpoint' and state = 'created'`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.minutes).toBeGreaterThan(50);
    expect(rows[0]?.minutes).toBeLessThanOrEqual(60);
  } finally {
    await app.stop();
  }
});
