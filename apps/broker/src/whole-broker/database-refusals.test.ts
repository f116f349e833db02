import { describe, expect, test } from 'vitest';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { freePort, runToEnd } from '../../../../e2e/product.ts';

describe.skipIf(!hasPostgres())('a start on PostgreSQL', () => {
  test.each<[what: string, change: (url: URL) => void, reason: RegExp]>([
    ['a database that does not exist', (url) => (url.pathname = '/nowhere'), /database "nowhere" does not exist/],
    ['a user that does not exist', (url) => (url.username = 'nobody_here'), /"nobody_here"/],
  ])('exits with one sentence and 78 at %s', async (_what, change, reason) => {
    const url = new URL(await createPostgresDatabase());
    change(url);
    const env = { DATABASE_URL: url.href, DATA_DIR: temporaryRoot(), PORT: String(await freePort()) };
    const { code, output } = await runToEnd(['apps/broker/src/main.ts'], env);
    expect(output).toMatch(
      /^Souk cannot start: the database at \S+ refused the connection: .+\. Check DATABASE_URL\.\n$/,
    );
    expect(output).toMatch(reason);
    expect(code).toBe(78);
  });
});
