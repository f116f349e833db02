import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { unheardText } from '#platform/db/postgres/hearing.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { hasPgBouncer, startPgBouncer } from '#testing/databases/pgbouncer.ts';
import { runCli } from './run-cli.ts';

test.skipIf(!hasPostgres() || !hasPgBouncer())('check-config warns of a pooler that delivers no notices', async () => {
  const databaseUrl = await createPostgresDatabase();
  const bouncer = await startPgBouncer(databaseUrl);
  async function said(env: NodeJS.ProcessEnv): Promise<string[]> {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const environment = {
      DATABASE_URL: bouncer.url,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      DATA_DIR: temporaryRoot(),
      ...env,
    };
    expect(await runCli(['check-config'], { environment, stdout: print, stderr: print })).toBe(0);
    return lines;
  }
  try {
    expect(await said({})).toEqual([`Warning: ${unheardText}`, 'Configuration is valid']);
    expect(await said({ DATABASE_LISTEN_URL: databaseUrl })).toEqual(['Configuration is valid']);
    expect(await said({ DATABASE_URL: databaseUrl })).toEqual(['Configuration is valid']);
  } finally {
    await bouncer.stop();
  }
});
