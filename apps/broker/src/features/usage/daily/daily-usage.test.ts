import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { UsageRow } from '#features/billing/index.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { createUsageWriter } from '../usage-writer.ts';
import { percentileMs } from './latency-buckets.ts';
import { mergeUsage } from './merge-usage.ts';
import { readUsageStats } from './read-stats.ts';

const log = createLog('silent');
const userId = randomUUID();
const noonMs = Date.UTC(2026, 10, 21, 12);

function call(change: Partial<UsageRow> = {}): UsageRow {
  return {
    callId: randomUUID(),
    userId,
    serverId: 'travel',
    kind: 'tool',
    name: 'distance',
    outcome: 'ok',
    reason: undefined,
    credits: 3,
    durationMs: 12,
    clientId: 'client',
    tokenId: 'grant',
    atMs: noonMs,
    ...change,
  };
}

const stats = (db: Database, of = userId, days = 30) => readUsageStats(db.query, of, days, noonMs);

/** Writes the rows of charged calls as the ledger's statement does. */
async function writeCharged(query: Query, rows: readonly UsageRow[]): Promise<void> {
  const columns = rows.map((row) => ({
    call_id: row.callId,
    user_id: row.userId,
    server_id: row.serverId,
    kind: row.kind,
    name: row.name,
    outcome: row.outcome,
    credits: row.credits,
    duration_ms: row.durationMs,
    client_id: row.clientId,
    token_id: row.tokenId,
    created_at: new Date(row.atMs),
    calls: 1,
    rounds: 1,
  }));
  await query('select write_usage(array(select r from jsonb_populate_recordset(null::usage_events, $1::jsonb) r))', [
    JSON.stringify(columns),
  ]);
}

/** Expects the sums to equal the single rows, to the last call. */
async function expectTheSameAsRows(db: Database): Promise<void> {
  const { rows } = await db.query(
    `select coalesce(sum(calls) filter (where kind = 'tool'), 0)::bigint as calls,
            coalesce(sum(credits), 0)::bigint as credits from usage_events where user_id = $1`,
    [userId],
  );
  const { totalToolCalls: calls, totalCreditsUsed: credits } = await stats(db);
  expect({ calls, credits }).toEqual(rows[0]);
}

describeOnDatabases('usage by day', migrations, (open) => {
  test('rows of two brokers and of a settlement add up while parts are merged, and repeated rows count once', async () => {
    const db = await open();
    const [one, two] = [1, 2].map(() => createUsageWriter({ query: db.query, log }));
    if (!one || !two) throw new Error('no writers');
    const charged = Array.from({ length: 40 }, () => call({ credits: 5 }));
    const rounds = 3;
    const settle = () => writeCharged(db.query, charged);
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < 150; index++) {
        one.record(call({ credits: 0, name: `tool-${index % 7}` }));
        two.record(call({ credits: 0, name: `tool-${(index * 3) % 7}`, userId: index % 2 ? userId : randomUUID() }));
      }
      // the commit of a batch was unknown: the same batch again
      await Promise.all([one.flush(), two.flush(), settle(), settle(), mergeUsage(db), mergeUsage(db)]);
    }
    await expectTheSameAsRows(db);
    expect(await stats(db)).toMatchObject({
      totalToolCalls: rounds * 225 + 40,
      totalCreditsUsed: 200,
      averageCost: 0.28,
    });
    await mergeUsage(db);
    await expectTheSameAsRows(db);
    expect(await mergeUsage(db)).toBe(0);
    const rows = await db.query('select name from usage_daily where user_id = $1', [userId]);
    expect(rows.rows).toHaveLength(8);
    await Promise.all([one.stop(), two.stop()]);
  });

  test('of a day with many servers the first 200 are counted by name, the others together, and no call is lost', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    const callServers = async (from: number, to: number) => {
      for (let number = from; number < to; number++) {
        const serverId = `server-${String(number).padStart(3, '0')}`;
        for (const name of ['one', 'two']) writer.record(call({ serverId, name }));
      }
      await writer.flush();
      await mergeUsage(db);
    };
    await callServers(0, 150);
    await callServers(100, 260);
    await callServers(250, 300);
    await writer.stop();
    await expectTheSameAsRows(db);
    const daily = await db.query<{ server_id: string; calls: number }>(
      `select server_id, sum(calls)::bigint as calls from usage_daily where user_id = $1 group by 1 order by 1`,
      [userId],
    );
    expect(daily.rows).toHaveLength(201);
    // 50 servers were called twice, and 100 beyond the 200, ten of them twice
    expect(daily.rows[0]).toEqual({ server_id: '+others', calls: 2 * (60 + 50) });
    expect(daily.rows.filter(({ calls }) => calls === 4)).toHaveLength(50);
    expect(daily.rows.at(-1)?.server_id).toBe('server-199');
    const { usageByMcp, usageByTool, totalToolCalls } = await stats(db);
    expect(totalToolCalls).toBe(2 * (150 + 160 + 50));
    expect(usageByMcp[0]).toMatchObject({ mcpId: '+others', toolCalls: 220 });
    expect(usageByTool).toHaveLength(400);
    const servers = await db.query('select count(distinct server_id)::int as servers from usage_servers');
    expect(servers.rows).toEqual([{ servers: 300 }]);
  });

  test('a transaction that does not end blocks no other rows', async () => {
    const db = await open();
    if (db.engine === 'pglite') return; // which has one connection
    const writer = createUsageWriter({ query: db.query, log });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = db.transaction(async (query) => {
      await writeCharged(query, [call()]);
      begun.resolve();
      await end;
    });
    await begun.promise;
    try {
      writer.record(call());
      void writer.flush();
      await waitUntil('the other row to be counted', async () => (await stats(db)).totalToolCalls === 1);
    } finally {
      resolve();
      await slow;
      await writer.stop();
    }
    expect(await stats(db)).toMatchObject({ totalToolCalls: 2 });
  });

  test('a row that is written again corrects what it added: further rounds, and counts of refusals', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    const asked = call({ outcome: 'refused', reason: 'input_required', credits: 0, durationMs: 4 });
    const refused = { outcome: 'refused', reason: 'rate_limited', credits: 0 } as const;
    writer.record(asked);
    writer.record(call(refused));
    await writer.flush();
    expect(await stats(db)).toMatchObject({ totalToolCalls: 2, answeredToolCalls: 0, lastAnsweredAt: null });
    await mergeUsage(db);
    writer.record({ ...asked, outcome: 'ok', reason: undefined, credits: 3, rounds: 2, durationMs: 700 });
    for (let index = 0; index < 9; index++) writer.record(call(refused));
    await writer.flush();
    const expected = { totalToolCalls: 11, answeredToolCalls: 1, totalCreditsUsed: 3 };
    expect(await stats(db)).toMatchObject(expected);
    await mergeUsage(db);
    const { usageByTool, ...rest } = await stats(db);
    expect(rest).toMatchObject(expected);
    expect(usageByTool[0]?.latencyMs).toEqual({ p50: 1000, p95: 1000, p99: 1000 });
    await writer.stop();
  });

  test("only an answered call sets a client's last use, and the average covers only answered calls", async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    const noon = Date.UTC(2026, 10, 20, 12);
    const refused = { outcome: 'refused', reason: 'switched_off', credits: 0 } as const;
    writer.record(call({ clientId: 'frontend', atMs: noon, credits: 2 }));
    writer.record(call({ ...refused, atMs: noon + 1 }));
    await writer.flush();
    expect(await stats(db)).toMatchObject({
      totalToolCalls: 2,
      answeredToolCalls: 1,
      averageCost: 2,
      lastClientAt: null,
    });
    writer.record(call({ atMs: noon + 2, credits: 3 }));
    writer.record(call({ serverId: 'notes', outcome: 'error', reason: 'tool_error', atMs: noon + 3, credits: 0 }));
    writer.record(call({ clientId: 'frontend', atMs: noon + 4, credits: 0 }));
    writer.record(call({ ...refused, atMs: noon + 5 }));
    await writer.stop();
    const at = (ms: number) => new Date(ms).toISOString();
    for (const isMerged of [false, true]) {
      if (isMerged) await mergeUsage(db);
      const { usageByMcp, ...inAll } = await stats(db);
      expect(inAll).toMatchObject({ lastCallAt: at(noon + 5), lastClientAt: at(noon + 3), averageCost: 1.25 });
      expect(usageByMcp).toMatchObject([
        { mcpId: 'travel', averageCost: 1.7, lastClientAt: at(noon + 2) },
        { mcpId: 'notes', averageCost: 0, lastClientAt: at(noon + 3) },
      ]);
    }
  });

  test('per day the five servers with the most answers are counted separately, and built-in tools and the others together', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    const answers = (serverId: string, count: number, atMs = noonMs) => {
      for (let index = 0; index < count; index++) writer.record(call({ serverId, atMs }));
    };
    // g has the most calls, and the fewest answers; f as many answers as d, and more than e
    for (const [index, serverId] of ['a', 'b', 'c', 'd', 'e', 'f', 'g'].entries()) answers(serverId, 8 - index);
    answers('f', 2, noonMs - 2 * 24 * 60 * 60_000);
    for (let index = 0; index < 20; index++)
      writer.record(call({ serverId: 'g', outcome: 'refused', reason: 'rate_limited', credits: 0 }));
    writer.record(call({ serverId: 'a', kind: 'resource', name: 'note://one' }));
    for (let index = 0; index < 9; index++) writer.record(call({ serverId: undefined, name: 'find_tools' }));
    writer.record(call({ userId: randomUUID() }));
    await writer.stop();
    for (const isMerged of [false, true]) {
      if (isMerged) await mergeUsage(db);
      const { usageByMcpAndDay, usageByDay } = await stats(db, userId, 3);
      expect(usageByMcpAndDay).toEqual([
        { mcpId: 'a', answeredToolCalls: [0, 0, 8] },
        { mcpId: 'b', answeredToolCalls: [0, 0, 7] },
        { mcpId: 'c', answeredToolCalls: [0, 0, 6] },
        { mcpId: 'd', answeredToolCalls: [0, 0, 5] },
        { mcpId: 'f', answeredToolCalls: [2, 0, 3] },
        { mcpId: '+built-in', answeredToolCalls: [0, 0, 9] },
        { mcpId: '+others', answeredToolCalls: [0, 0, 6] },
      ]);
      const ofDay = (day: number) => usageByMcpAndDay.reduce((sum, row) => sum + (row.answeredToolCalls[day] ?? 0), 0);
      expect([0, 1, 2].map(ofDay), 'as in the daily figures').toEqual(usageByDay.map((day) => day.answeredToolCalls));
    }
  });

  test('days are in UTC, and names without a length limit are not stored', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    await db.query(`set time zone 'Pacific/Auckland'`);
    writer.record(call({ atMs: Date.UTC(2026, 10, 20, 23, 59, 59, 999) }));
    writer.record(call({ atMs: Date.UTC(2026, 10, 21) }));
    for (const name of ['a', 'b', 'c']) {
      writer.record(call({ serverId: undefined, name, outcome: 'refused', reason: 'unknown', credits: 0 }));
      writer.record(call({ kind: 'resource', name: `note://${name}`, credits: 0 }));
    }
    await writer.stop();
    await mergeUsage(db);
    const { usageByDay } = await stats(db);
    expect(usageByDay.slice(-2)).toEqual([
      { date: '2026-11-20', toolCalls: 1, answeredToolCalls: 1, totalCredits: 3 },
      { date: '2026-11-21', toolCalls: 4, answeredToolCalls: 1, totalCredits: 3 },
    ]);
    const { rows } = await db.query('select server_id, kind, name from usage_daily where day > $1 order by 1, 2', [
      '2026-11-20',
    ]);
    expect(rows.map((row) => Object.values(row).join('/'))).toEqual([
      '/tool/',
      'travel/resource/',
      'travel/tool/distance',
    ]);
  });

  test('[HIST-12] at most 1000 records of servers and of tools are read; the totals count all', async () => {
    const db = await open();
    const writer = createUsageWriter({ query: db.query, log });
    for (let index = 0; index < 1005; index++) writer.record(call({ name: `tool-${index}`, serverId: `s${index}` }));
    writer.record(call({ name: 'tool-1003', serverId: 's1003' }));
    await writer.stop();
    const { usageByTool, usageByMcp, usageByDay, totalToolCalls } = await stats(db);
    expect([usageByTool.length, usageByMcp.length, totalToolCalls]).toEqual([1000, 1000, 1006]);
    expect(usageByTool[0]).toMatchObject({ toolName: 'tool-1003', toolCalls: 2 });
    expect(usageByDay.at(-1)).toMatchObject({ toolCalls: 1006 });
  });
});

test('percentiles are exact to their bucket', () => {
  const counts = (change: Record<number, number>) => Array.from({ length: 12 }, (_, index) => change[index] ?? 0);
  expect(percentileMs(counts({}), 0.5)).toBeUndefined();
  expect(percentileMs(counts({ 2: 10 }), 0.5)).toBe(18);
  expect(percentileMs(counts({ 0: 98, 7: 2 }), 0.5)).toBe(3);
  expect(percentileMs(counts({ 0: 98, 7: 2 }), 0.99)).toBe(750);
  expect(percentileMs(counts({ 11: 1 }), 0.5)).toBe(15_000);
});
