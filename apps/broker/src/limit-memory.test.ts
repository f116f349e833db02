import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { defaultCacheDir, ensureStartImage } from '#platform/db/embedded/start-image.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { migrations } from './migrations.ts';

const run = promisify(execFile);

// needs /proc
test.runIf(process.platform === 'linux')('a start on the embedded database needs less than 400 MB', async () => {
  // creating the image, once for each version of the product, takes more
  await ensureStartImage(defaultCacheDir, migrations);
  const file = (path: string) => JSON.stringify(join(import.meta.dirname, path));
  // measured in this program only: Node's own figure begins with the peak of the process that starts it
  const program = `
    import { readFileSync } from 'node:fs';
    import { limitMemory } from ${file('limit-memory.ts')};
    import { migrations } from ${file('migrations.ts')};
    import { openDatabase } from ${file('platform/db/open-database.ts')};
    import { createLog } from ${file('platform/log.ts')};
    limitMemory({ databaseUrl: undefined });
    const dataDir = ${JSON.stringify(join(temporaryRoot(), 'limit-memory'))};
    const db = await openDatabase({ databaseUrl: undefined, dataDir, log: createLog('error'), migrations });
    await db.query('select count(*) from usage_events');
    await db.close();
    console.log(readFileSync('/proc/self/status', 'utf8'));`;
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  const peakKb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(stdout)?.[1]);
  expect(peakKb).toBeGreaterThan(0);
  await limitFigure(400, 'MiB', () => peakKb / 1024, { scales: 'none' });
});
