import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { maxCsvRows } from '@souk/contract/billing/billing-history.ts';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

/** More rows than a file has. */
const rowsOfPerson = maxCsvRows + 100;
/** Rows per page of the database (in-pages.ts). */
const pageRows = 500;
const files = ['calls.csv', 'credit-history.csv', 'transactions.csv', 'export'] as const;
const calls = { name: 'usage_events', id: 'call_id' } as const;
const payments = { name: 'transactions', id: 'id' } as const;
type File = (typeof files)[number];

describeOnEmbedded("a user's files", migrations, (open) => {
  let app: TestApp;
  /** Number of statements that read the rows of the files. */
  let reads = 0;
  let most = 0;
  let person: Awaited<ReturnType<typeof newPerson>>;
  beforeAll(async () => {
    app = await startTestApp({ db: counting(await open()) });
    person = await newPerson();
    return async () => app.stop();
  });

  function counting(db: Database): Database {
    const query: Database['query'] = async (text, values) => {
      const answer = await db.query(text, values);
      if (/from (usage_events|transactions|ledger_entries)\b[^]* limit /.test(text)) {
        reads++;
        most = Math.max(most, answer.rows.length);
      }
      // the type that the caller names stays
      return answer as Awaited<ReturnType<typeof db.query<never>>>;
    };
    return { ...db, query };
  }

  /** Creates a user with calls and payments, several of each at the same moment. */
  async function newPerson({ toolName = 'say', madeCalls = rowsOfPerson, payments: paid = rowsOfPerson } = {}) {
    const browser = new ScriptedBrowser(app.publicUrl);
    const email = `${randomUUID()}@souk.test`;
    const { accessToken } = await browser.signInWeb({ email });
    const { rows } = await app.db.query<{ id: string }>('select id from users where email = $1', [email]);
    const userId = rows[0]?.id ?? '';
    await app.db.query(
      `insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id,
         created_at, livemode)
       select gen_random_uuid(), $1::uuid, 'one', 'tool', $3, 'ok', 1, 5, 'frontend', 'none',
         timestamptz '2026-11-01T00:00:00Z' + (n / 7) * interval '1 second', false
       from generate_series(1, $2::int) n`,
      [userId, madeCalls, toolName],
    );
    await app.db.query(
      `insert into transactions (id, user_id, livemode, type, status, description, amount, currency, idem, created_at)
       select gen_random_uuid(), $1::uuid, false, 'credit_purchase', 'completed', 'Credits', 100, 'usd', $1 || ':' || n,
         timestamptz '2026-11-01T00:00:00Z' + (n / 7) * interval '1 second'
       from generate_series(1, $2::int) n`,
      [userId, paid],
    );
    const paths: Record<File, string> = {
      'calls.csv': `/api/users/${userId}/calls.csv`,
      'credit-history.csv': `/api/users/${userId}/credit-history.csv`,
      'transactions.csv': `/v2/billing-history/user/${userId}/transactions.csv`,
      export: `/api/users/${userId}/export`,
    };
    /** Returns the ids of the newest rows, with one statement. */
    const newest = async (table: typeof calls | typeof payments) => {
      const { rows } = await app.db.query<{ id: string }>(
        `select ${table.id} as id from ${table.name} where user_id = $1
         order by created_at desc, ${table.id} desc fetch first ${maxCsvRows} rows only`,
        [userId],
      );
      return rows.map(({ id }) => id);
    };
    const headers = { authorization: `Bearer ${accessToken}` };
    return {
      headers,
      newest,
      pathOf: (file: File) => paths[file],
      get: (file: File) => fetch(app.publicUrl + paths[file], { headers }),
    };
  }

  test('a file has the newest rows, each once and in order, and is read from the database in pages', async () => {
    const { get, newest } = person;
    for (const file of ['calls.csv', 'credit-history.csv', 'transactions.csv'] as const) {
      [reads, most] = [0, 0];
      const answer = await get(file);
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${file}"`);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const lines = (await answer.text()).trimEnd().split('\r\n').slice(1);
      expect(lines.map((line) => line.slice(1, 37))).toEqual(
        await newest(file === 'transactions.csv' ? payments : calls),
      );
      expect(reads).toBe(maxCsvRows / pageRows);
      // one more row shows whether there is a next page
      expect(most).toBeLessThanOrEqual(pageRows + 1);
    }
    [reads, most] = [0, 0];
    const { data } = JSON.parse(await (await get('export')).text());
    expect([data.usage.length, data.transactions.length, data.credits.length]).toEqual([rowsOfPerson, maxCsvRows, 0]);
    expect(new Set(data.usage.map(({ id }: { id: string }) => id)).size).toBe(rowsOfPerson);
    expect(most).toBe(pageRows);
  });

  test('bad input 70: of 20 files that one user requests concurrently two are sent, and the others say when to retry', async () => {
    const { get } = person;
    for (const file of files) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get(file)));
      const [sent, refused] = [
        answers.filter(({ status }) => status === 200),
        answers.filter(({ status }) => status === 429),
      ];
      expect([sent.length, refused.length]).toEqual([2, 18]);
      expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '5'));
      expect(await refused[0]?.json()).toEqual({
        success: false,
        code: 'too_many_downloads',
        message: 'You are already downloading two files. Wait until one is complete, then try again.',
      });
      const texts = await Promise.all(sent.map((answer) => answer.text()));
      expect(texts[0]?.length).toBeGreaterThan(500_000);
    }
  });

  test('a client that reads nothing makes the broker stop reading; when it disconnects it may request again', async () => {
    const { headers, get, pathOf } = await newPerson({ toolName: 'n'.repeat(1000), madeCalls: 20_000, payments: 0 });
    [reads, most] = [0, 0];
    const silent = [1, 2].map(() => {
      const sent = request(`${app.publicUrl}${pathOf('export')}`, { headers }, (answer) => answer.pause());
      sent.on('error', () => {}).end();
      return sent;
    });
    await waitUntil('both have started', () => reads > 2);
    let seen = -1;
    await waitUntil('nothing more is read', async () => {
      const isStill = seen === reads;
      seen = reads;
      // others continue meanwhile
      for (let n = 0; n < 50; n++) await (await fetch(`${app.publicUrl}/healthz`)).text();
      return isStill && seen === reads;
    });
    // both take more than 80 pages in total; how many of them the kernel buffers is not ours
    expect(reads).toBeLessThan(70);
    expect((await get('calls.csv')).status).toBe(429);
    for (const one of silent) one.destroy();
    await waitUntil('their slots are free', async () => {
      const answer = await get('calls.csv');
      await answer.text();
      return answer.status === 200;
    });
  });
});
