import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { readUsageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { ensurePartitions } from './ensure-partitions.ts';
import type { UsageRow } from '#features/billing/index.ts';
import { createUsageWriter } from './usage-writer.ts';

const log = createLog('silent');
const userId = randomUUID();

function event(change: Partial<UsageRow> = {}): UsageRow {
  return {
    callId: randomUUID(),
    userId,
    serverId: 'travel',
    kind: 'tool',
    name: 'distance',
    outcome: 'ok',
    reason: undefined,
    credits: 0,
    durationMs: 12.4,
    clientId: 'client',
    tokenId: 'grant',
    atMs: Date.UTC(2026, 10, 21),
    ...change,
  };
}

describeOnDatabases('usage rows', migrations, (open) => {
  test('are written in batches, each exactly once', async () => {
    const db = await open();
    let statements = 0;
    const writer = createUsageWriter({ query: (text, values) => (statements++, db.query(text, values)), log });
    for (let index = 0; index < 1000; index++) writer.record(event());
    await writer.flush();
    await writer.flush();
    expect(await readUsageRows(db)).toHaveLength(1000);
    expect(statements).toBeLessThan(20);
    await writer.stop();
  });

  test('are written after a moment without a flush', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    writer.record(event({ outcome: 'failed', reason: 'timeout' }));
    await waitUntil('the row to be written', async () => (await readUsageRows(db)).length === 1);
    const [row] = await readUsageRows(db);
    expect(row).toMatchObject({ name: 'distance', outcome: 'failed', reason: 'timeout', credits: 0, durationMs: 12 });
    await writer.stop();
  });

  test('keep every character of a name, and a missing reason', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    const names = ['a "quoted" \\ name', '{a,b}', 'NULL', '', 'é漢😀\n', 'null', ' '];
    for (const name of names) writer.record(event({ name, reason: name === '' ? undefined : name }));
    writer.record(event({ name: 'n\0ul', reason: 'nul' }));
    await writer.flush();
    const rows = await readUsageRows(db);
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...names, 'nul'].toSorted());
    for (const { name, reason } of rows) expect(reason).toBe(name === '' ? null : name);
    await writer.stop();
  });

  test('wait while the database refuses, and are written when it is back: the log reports each once', async () => {
    const db = await open();
    const lines: string[] = [];
    let away = true;
    const writer = createUsageWriter({
      query: (text, values) => (away ? Promise.reject(new Error('connection lost')) : db.query(text, values)),
      log: createLog('warn', { write: (line) => void lines.push(line) }),
    });
    writer.record(event());
    for (let n = 0; n < 3; n++) await writer.flush();
    expect(lines).toEqual([expect.stringContaining('cannot be written yet')]);
    expect(await readUsageRows(db)).toHaveLength(0);
    away = false;
    await writer.flush();
    expect(await readUsageRows(db)).toHaveLength(1);
    await writer.flush();
    expect(lines.slice(1)).toEqual([expect.stringContaining('written again')]);
    await writer.stop();
  });

  test('above a limit the oldest rows are dropped, of any kind, and that is logged once for many', async () => {
    const lines: unknown[] = [];
    const counting = { ...log, error: (...line: unknown[]) => lines.push(line) } as unknown as typeof log;
    const writer = createUsageWriter({ query: () => Promise.reject(new Error('disk full')), log: counting });
    const refused = { outcome: 'refused', reason: 'rate_limited' } as const;
    for (let index = 0; index < 50_000; index++) writer.record(event({ callId: 'x' }));
    for (const token of ['a', 'b', 'c']) writer.record(event({ ...refused, tokenId: token }));
    for (const token of ['a', 'b', 'c']) writer.record(event({ ...refused, tokenId: token }));
    expect(writer.waiting()).toBeLessThanOrEqual(50_000);
    for (let index = 0; index < 10_000; index++) writer.record(event({ callId: 'x' }));
    expect(lines.length).toBeLessThan(10);
    // the counts of refusals come later, and are rows as well
    await writer.flush();
    expect(writer.waiting()).toBeLessThanOrEqual(50_000);
    await writer.stop();
  });

  test('that wait at the stop are still written', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    for (let index = 0; index < 300; index++) writer.record(event());
    await writer.stop();
    expect(await readUsageRows(db)).toHaveLength(300);
  });

  test('security row 47: 5,000 rate-limit refusals in a second become one row per minute and token, with a count', async () => {
    const db = await open();
    let sent = 0;
    const counting: typeof db.query = (text, values) => (sent++, db.query(text, values));
    const writer = createUsageWriter({ query: counting, log });
    const refused = { outcome: 'refused', reason: 'rate_limited', name: 'echo' } as const;
    const atMs = Date.UTC(2026, 10, 21, 12);
    const rows = async () => {
      const found = await db.query('select token_id, name, calls from usage_events order by created_at, calls');
      return found.rows.map((row) => Object.values(row));
    };
    for (let index = 0; index < 5000; index++) writer.record(event({ ...refused, atMs: atMs + index / 5 }));
    writer.record(event({ ...refused, tokenId: 'another', atMs }));
    await writer.flush();
    expect(await rows()).toEqual([
      ['another', 'echo', 1],
      ['grant', 'echo', 5000],
    ]);
    expect(sent).toBeLessThan(5);

    // the same minute adds to the row, the next minute has its own
    for (const laterMs of [30_000, 60_000, 61_000]) writer.record(event({ ...refused, atMs: atMs + laterMs }));
    writer.record(event({ reason: 'busy', outcome: 'refused', atMs: atMs + 62_000 }));
    await writer.stop();
    expect(await rows()).toEqual([
      ['another', 'echo', 1],
      ['grant', 'echo', 5001],
      ['grant', 'echo', 2],
      ['grant', 'distance', 1],
    ]);
  });

  test('of a call are written again after each further round, also by another broker, and in one batch', async () => {
    const db = await open();
    const callId = randomUUID();
    const asked = { callId, outcome: 'refused', reason: 'input_required', durationMs: 5 } as const;
    const answered = { callId, credits: 3, rounds: 2, durationMs: 9 };
    const written = async () =>
      (await readUsageRows(db)).map(({ outcome, reason, credits, rounds, durationMs }) =>
        [outcome, reason, credits, rounds, durationMs].join(' '),
      );
    const [writer, other] = [1, 2].map(() => createUsageWriter({ query: db.query, log }));
    if (!writer || !other) throw new Error('no writers');
    writer.record(event(asked));
    await writer.flush();
    expect(await written()).toEqual(['refused input_required 0 1 5']);
    other.record(event({ ...answered, outcome: 'failed', reason: 'timeout', credits: 0 }));
    await other.flush();
    expect(await written()).toEqual(['failed timeout 0 2 9']);
    // the same round again, on another replica: the charge stays
    writer.record(event(answered));
    await writer.flush();
    other.record(event({ ...answered, outcome: 'error', reason: 'tool_error', credits: 0 }));
    // from a broker that was late with its row of the first round
    other.record(event({ ...asked, rounds: 1 }));
    await other.flush();
    expect(await written()).toEqual(['ok  3 2 9']);

    const quick = { callId: randomUUID(), name: 'quick' };
    writer.record(event({ ...asked, ...quick }));
    writer.record(event({ ...answered, ...quick }));
    await Promise.all([writer, other].map((each) => each.stop()));
    expect(await written()).toEqual(['ok  3 2 9', 'ok  3 2 9']);
  });

  test('fall into a partition of their month, created ahead of time and only once', async () => {
    const db = await open();
    await Promise.all([1, 2, 3].map(() => ensurePartitions(db, Date.UTC(2026, 11, 31))));
    const writer = createUsageWriter({ query: db.query, log });
    writer.record(event({ atMs: Date.UTC(2027, 0, 1) }));
    await writer.stop();
    const { rows } = await db.query('select tableoid::regclass::text as partition from usage_events');
    expect(rows).toEqual([{ partition: 'usage_events_2027_01' }]);
  });
});
