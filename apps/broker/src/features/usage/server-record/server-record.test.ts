import { getServerRecord } from '@souk/contract/server-record.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startEndingServer, type EndingServer } from '../../gateway/call/testing/ending-server.ts';

let app: TestApp;
let server: EndingServer;
let nowMs = Date.parse('2026-11-20T12:00:00Z');

beforeAll(async () => {
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
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

async function record(serverId: string) {
  const answer = await fetch(`${app.publicUrl}/api/catalogue/servers/${serverId}/record`);
  return answer.status === 200 ? getServerRecord.answer.parse(await answer.json()) : answer.status;
}

const check = (day: string, up: number, down: number) =>
  app.db.query(`insert into server_health_days (server_id, day, up, down) values ('used', $1, $2, $3)`, [
    day,
    up,
    down,
  ]);

test('uptime comes from the checks of 30 days, and has no figure before there is a day of them', async () => {
  expect(await record('used')).toMatchObject({ uptime: null, era: 'modern', lastTestedAt: expect.any(String) });
  await check('2026-11-20', 10, 0);
  expect(await record('used')).toMatchObject({ uptime: { since: '2026-11-20', percent: null } });
  await check('2026-11-19', 9980, 9);
  await check('2026-10-01', 0, 9999);
  // 9990 of 9999 checks, and never rounded up
  expect(await record('used')).toMatchObject({ uptime: { since: '2026-11-19', percent: 99.9 } });
  expect(await record('nothing')).toBe(404);
});

test('speed and success come from calls of tools that reached the server, once there are twenty', async () => {
  const { accessToken: token } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
  const call = async (serverId: string, tool: string, end: string) => {
    const answer = await fetch(`${app.publicUrl}/api/tool-runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serverId, tool, arguments: { end } }),
    });
    await answer.text();
  };
  const ends = [...Array<string>(18).fill('ok'), 'tool_error', 'reset'];
  for (const end of ends) await call('used', 'say', end);
  for (const end of ends.slice(1)) await call('quiet', 'say', end);
  // not sent to the server
  await call('quiet', 'unknown', 'ok');
  await app.usage.flush();
  // ten minutes later the figures of before are too old
  nowMs += 11 * 60_000;
  const used = await record('used');
  expect(used).toMatchObject({ calls: { successPercent: 95, medianMs: expect.any(Number) } });
  expect(await record('quiet')).toMatchObject({ calls: null });
});
