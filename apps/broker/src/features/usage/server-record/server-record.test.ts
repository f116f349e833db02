import { findServers } from '@souk/contract/catalogue/catalogue-search.ts';
import { getServerRecord } from '@souk/contract/catalogue/server-record.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../../gateway/call/testing/ending-server.ts';

const minuteMs = 60_000;
let app: TestApp;
let server: EndingServer;
let nowMs = 0;

beforeEach(async () => {
  nowMs = Date.parse('2026-11-20T12:00:00Z');
  server = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [server.address],
    clock: { now: () => nowMs, monotonic: () => nowMs },
    env: withoutHealthChecks,
  });
  for (const id of ['used', 'quiet']) {
    await deployManifest(app, { id, connection: { type: 'http', url: server.url } });
  }
});
afterEach(async () => {
  await app?.stop();
  await server?.close();
});

async function callAs(email: string, serverId: string, tool: string, ends: readonly string[]): Promise<void> {
  const { accessToken: token } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  for (const end of ends) {
    const answer = await fetch(`${app.publicUrl}/api/tool-runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serverId, tool, arguments: { end } }),
    });
    await answer.text();
  }
  await app.usage.flush();
}

const ask = (serverId: string) => fetch(`${app.publicUrl}/api/catalogue/servers/${serverId}/record`);

async function record(serverId: string) {
  const answer = await ask(serverId);
  return answer.status === 200 ? getServerRecord.answer.parse(await answer.json()) : answer.status;
}

const check = (day: string, up: number, down: number) =>
  app.db.query(`insert into server_health_days (server_id, day, up, down) values ('used', $1, $2, $3)`, [
    day,
    up,
    down,
  ]);

test('uptime comes from the checks of 30 days, and has no figure before there is a day of them', async () => {
  nowMs += minuteMs;
  expect(await record('used')).toMatchObject({ uptime: null, era: 'modern', lastTestedAt: '2026-11-20T12:00:00.000Z' });
  await check('2026-11-20', 10, 0);
  expect(await record('used')).toMatchObject({ uptime: { since: '2026-11-20', percent: null } });
  await check('2026-11-19', 9980, 9);
  await check('2026-10-01', 0, 9999);
  // 9990 of 9999 checks, never rounded up
  expect(await record('used')).toMatchObject({ uptime: { since: '2026-11-19', percent: 99.9 } });
  const { days } = getServerRecord.answer.parse(await (await ask('used')).json());
  expect([days.length, days[0]?.day]).toEqual([30, '2026-10-22']);
  // a day without a check is not a day of failed checks
  expect(days.slice(-3)).toEqual([
    { day: '2026-11-18', percent: null },
    { day: '2026-11-19', percent: 99.9 },
    { day: '2026-11-20', percent: 100 },
  ]);
  expect(await record('nothing')).toBe(404);
});

/** Twenty calls, nineteen of which a tool answered. */
const twenty = [...Array<string>(18).fill('ok'), 'tool_error', 'reset'];

test('speed and success come from tool calls that reached the server, once there are twenty', async () => {
  await callAs('ann@souk.test', 'used', 'say', twenty);
  // one account cannot spoil the record with a program that exceeds its limits
  await callAs('ben@souk.test', 'used', 'say', ['reset', 'reset', 'reset', 'reset']);
  for (const reason of ['storage_full', 'over_limit']) {
    await app.db.query(
      `update usage_events set reason = $1 where call_id in (
         select call_id from usage_events join users on users.id = user_id
         where email = 'ben@souk.test' and outcome = 'failed' and reason = 'upstream_unavailable' limit 2)`,
      [reason],
    );
  }
  await callAs('ann@souk.test', 'quiet', 'say', twenty.slice(1));
  // not sent to the server
  await callAs('ann@souk.test', 'quiet', 'unknown', ['ok']);
  // ten minutes later the earlier figures are too old
  nowMs += 11 * minuteMs;
  const used = await record('used');
  expect(used).toMatchObject({ calls: { successPercent: 95, medianMs: 0 } });
  expect(await record('quiet')).toMatchObject({ calls: null });
});

test('while figures cannot be read the last ones stay, and are not read again for two minutes', async () => {
  const rename = (from: string, to: string) => app.db.query(`alter table usage_events rename column ${from} to ${to}`);
  await callAs('ann@souk.test', 'used', 'say', twenty);
  expect(await record('used')).toMatchObject({ calls: { successPercent: 95 } });
  nowMs += 11 * minuteMs;
  await rename('outcome', 'outcome_elsewhere');
  try {
    expect(await record('used')).toMatchObject({ calls: { successPercent: 95 } });
  } finally {
    await rename('outcome_elsewhere', 'outcome');
  }
  await app.db.query(`delete from usage_events where server_id = 'used'`);
  nowMs += minuteMs;
  expect(await record('used')).toMatchObject({ calls: { successPercent: 95 } });
  nowMs += minuteMs;
  expect(await record('used')).toMatchObject({ calls: null });
});

async function order(sort: 'featured' | 'popular'): Promise<string[]> {
  const answer = await fetch(`${app.publicUrl}/api/catalogue/servers?sort=${sort}`);
  return findServers.answer.parse(await answer.json()).servers.map(({ serverId }) => serverId);
}
const untilOrder = (sort: 'featured' | 'popular', expected: readonly string[]) =>
  waitUntil(`the order to be ${expected.join()}`, async () => (await order(sort)).join() === expected.join());

test("home's order is the operator's, then by users of a server in 30 days, by calls, and by name", async () => {
  const add = (id: string, featured?: number) =>
    deployManifest(app, { id, connection: { type: 'http', url: server.url }, ...(featured && { featured }) });
  for (const id of ['a-failing', 'b-unused']) await add(id);
  await add('y-second', 2);
  await add('z-first', 1);
  const byName = ['a-failing', 'b-unused', 'quiet', 'used', 'y-second', 'z-first'];
  // cached from before these calls, for an hour
  const before = await order('popular');
  await callAs('ann@souk.test', 'used', 'say', ['ok', 'ok', 'ok']);
  for (const email of ['ann@souk.test', 'bob@souk.test']) await callAs(email, 'quiet', 'say', ['ok']);
  for (const email of ['ann@souk.test', 'bob@souk.test', 'cat@souk.test'])
    await callAs(email, 'a-failing', 'say', ['reset']);
  expect(await order('popular')).toEqual(before);
  nowMs += 61 * minuteMs;
  // two users come before one who called more often; failed calls do not count
  await untilOrder('popular', ['quiet', 'used', 'a-failing', 'b-unused', 'y-second', 'z-first']);
  await untilOrder('featured', ['z-first', 'y-second', 'quiet', 'used', 'a-failing', 'b-unused']);
  await callAs('bob@souk.test', 'used', 'say', ['ok']);
  nowMs += 61 * minuteMs;
  // equal number of users: the server with more calls first
  await untilOrder('popular', ['used', 'quiet', 'a-failing', 'b-unused', 'y-second', 'z-first']);
  nowMs += 30 * 24 * 60 * minuteMs;
  await untilOrder('popular', byName);
});
