import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { connectModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { readUsageRows } from '../apps/broker/src/testing/figures/usage-rows.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { newDataDir, runToEnd, startProduct, type Product } from './product.ts';
import { untilAllConnected } from './until-all-connected.ts';

let dataDir: string;
let product: Product;
beforeAll(async () => {
  dataDir = await newDataDir();
  product = await startProduct({ dataDir });
  await untilAllConnected(product.publicUrl);
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

const souk = (...args: string[]) => runToEnd(['apps/broker/src/operator/souk.ts', ...args], { DATA_DIR: dataDir });
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('[CFG-38] a second start on the same data folder fails and names the folder', async () => {
  const second = await runToEnd(['apps/broker/src/main.ts'], { PORT: '65000', DATA_DIR: dataDir });
  expect(second.code).toBe(1);
  expect(second.output).toContain('is in use by another process');
  expect(second.output).toContain(dataDir);
  expect(second.output).not.toContain('    at ');
});

test('[CFG-4] [CFG-15] only its owner can read the data folder, which has the master key and the database', async () => {
  expect((await stat(dataDir)).mode & 0o077).toBe(0);
  expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(dataDir, 'db'))).not.toContain('master.key');
});

test('[I9] after kill -9 and a restart, users, tokens, demo data, usage and sign-ins are kept, and no process is left behind', async () => {
  const { stdout } = await souk('token', 'create', '--email', 'ann@souk.test', '--name', 'restart');
  const token = stdout.trim();
  const client = await connectModern(`${product.publicUrl}/mcp`, token);
  const itinerary = { name: 'Kept', stops: ['LHR', 'JFK'] };
  const saved = await client.callTool({ name: 'travel__save_itinerary', arguments: itinerary });
  expect(saved.isError, JSON.stringify(saved)).toBeFalsy();
  const event = { title: 'Kept event', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
  expect((await client.callTool({ name: 'calendar__create_event', arguments: event })).isError).toBeFalsy();
  const entities = [{ name: 'kept', entityType: 'thing', observations: ['still here'] }];
  await client.callTool({ name: 'memory__create_entities', arguments: { entities } });
  const browser = new ScriptedBrowser(product.publicUrl);
  const web = await browser.signInWeb({ email: 'ann@souk.test' });
  // a kill may lose the last 100 ms of usage of free calls: these are already written
  await waitUntil('the three calls to be in the log', async () => (await countCalls(web.accessToken)) === 3);
  await client.close();

  const before = await product.processes();
  expect(before.length).toBeGreaterThan(4);
  await product.kill('SIGKILL');
  await waitUntil('every child to notice', () => before.every((pid) => !isAlive(pid)));

  const port = Number(new URL(product.publicUrl).port);
  product = await startProduct({ dataDir, port });
  await untilAllConnected(product.publicUrl);
  const again = await connectModern(`${product.publicUrl}/mcp`, token);
  const kept = await Promise.all([
    again.callTool({ name: 'travel__list_itineraries', arguments: {} }),
    again.callTool({
      name: 'calendar__list_events',
      arguments: { from: '2026-11-30T00:00:00Z', to: '2026-12-05T00:00:00Z' },
    }),
    again.callTool({ name: 'memory__read_graph', arguments: {} }),
  ]);
  expect(JSON.stringify(kept[0])).toContain('Kept');
  expect(JSON.stringify(kept[1])).toContain('Kept event');
  expect(JSON.stringify(kept[2])).toContain('still here');
  await again.close();
  const profile = await fetch(`${product.publicUrl}/v2/user/profile`, {
    headers: { authorization: `Bearer ${web.accessToken}` },
  });
  expect(profile.status).toBe(200);
  const refreshed = await browser.postForm(
    '/oauth/token',
    { grant_type: 'refresh_token', client_id: 'frontend' },
    { origin: product.publicUrl },
  );
  expect(refreshed.status).toBe(200);
  printFigure(`${before.length} processes ended; the same access token, refresh token and MCP token answer`);
});

async function countCalls(accessToken: string): Promise<number> {
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${product.publicUrl}${path}`, { headers: { authorization: `Bearer ${accessToken}` } });
    return { ...Object(await answer.json()) };
  };
  const { id } = await read('/v2/user/profile');
  const { calls } = await read(`/api/users/${String(id)}/calls`);
  return Array.isArray(calls) ? calls.length : 0;
}

test('[I10] SIGTERM lets a running call finish, then ends the broker and everything that it started, with exit code 0', async () => {
  const { stdout } = await souk('token', 'create', '--email', 'ann@souk.test', '--name', 'stop');
  const client = await connectModern(`${product.publicUrl}/mcp`, stdout.trim());
  let started = () => {};
  const running = new Promise<void>((resolve) => (started = resolve));
  const call = client.callTool(
    { name: 'everything__trigger-long-running-operation', arguments: { duration: 2, steps: 4 } },
    { onprogress: started },
  );
  await running;
  const before = await product.processes();
  const exit = product.kill('SIGTERM');
  await waitUntil('the broker to accept no more', async () => {
    const answer = await fetch(`${product.publicUrl}/readyz`).catch(() => undefined);
    return answer?.status !== 200;
  });
  expect((await call).isError).toBeFalsy();
  expect(await exit).toBe(0);
  await waitUntil('every process to end', () => before.every((pid) => !isAlive(pid)));
  printFigure(`1 call of 2 s under way: answered; ${before.length} processes, 0 left; exit code 0`);
});

test('usage from before and after the kill is in the database', async () => {
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: createLog('silent') });
  const rows = await readUsageRows(db);
  await db.close();
  const beforeKill = ['save_itinerary', 'create_event', 'create_entities'];
  const afterKill = ['list_itineraries', 'list_events', 'read_graph', 'trigger-long-running-operation'];
  expect(rows.map(({ name }) => name).sort()).toEqual([...beforeKill, ...afterKill].sort());
});

test("[CFG-37] the operator's command opens the data folder itself when no broker runs", async () => {
  const { code, stdout } = await souk('token', 'create', '--email', 'later@souk.test', '--name', 'offline');
  expect(code).toBe(0);
  expect(stdout.trim()).toMatch(/^souk_pat_/);
});
