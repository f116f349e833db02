import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPerson, type Person } from '#features/billing/entitlement/testing/people.ts';
import { billingCommands } from '#operator/commands/billing-commands.ts';
import { operatorCommands } from '#operator/commands/operator-commands.ts';
import { testManifestCommand } from '#operator/commands/manifests/test-manifest.ts';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { freePort } from '#testing/network/free-port.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { spawnGuarded, type GuardedProcess } from '#testing/servers/guarded-process.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

// The programs, manifests and commands of docs/tutorials run as the pages show them, at a port of the test.

const root = join(import.meta.dirname, '../../../..');
let folder: string;
let port: number;
let app: TestApp;
let operator: OperatorServer;
let person: Person;
let server: GuardedProcess | undefined;
let aheadMs = 0;

beforeAll(async () => {
  // a program in this folder finds the packages that the page installs
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  folder = await mkdtemp(join(root, 'node_modules/.cache/tutorial-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  port = await freePort();
  const env = { UPSTREAM_ALLOW_ADDRESSES: `127.0.0.1:${port}` };
  app = await startTestApp({ env, clock: { now: () => Date.now() + aheadMs } });
  const commands = { ...operatorCommands(app), ...billingCommands(app), ...testManifestCommand(app) };
  operator = await createOperatorServer({ dataDir: app.dataDir, commands, log: createLog('silent') });
  person = await newPerson(app);
});
afterAll(async () => {
  await server?.stop();
  await operator?.stop();
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the text of a page, with the test's port instead of the page's. */
const pageOf = async (name: string) =>
  (await readFile(join(root, 'docs/tutorials', name), 'utf8')).replaceAll('8081', String(port));

/** Returns a page's code blocks of one language, in order. */
const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(/```(\w+)\n([^]*?)\n```/g)].flatMap(([, name, text = '']) => (name === language ? [text] : []));

const souk = (...argv: string[]) => runSouk(argv, { environment: { DATA_DIR: app.dataDir } });

async function save(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function runServer(program: string): Promise<void> {
  await server?.stop();
  await save('server.js', program);
  server = spawnGuarded([process.execPath, 'server.js'], { cwd: folder }, 'TERM');
  const listens = async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.status === 404;
  await waitUntil('the server of the tutorial to listen', listens);
}

async function forecast(args: Record<string, string>) {
  const client = await connectModern(`${app.publicUrl}/mcp`, person.token);
  const answer = await client.callTool({ name: 'weather__forecast', arguments: args });
  await client.close();
  return answer;
}

test('the server of the tutorials is deployed, called, changed, approved and sold as the pages say', async () => {
  const page = await pageOf('own-server.md');
  const [first = '', change = ''] = blocksOf(page, 'js');
  const [, deployed = '', approve = ''] = blocksOf(page, 'text');
  await runServer(first);
  const file = await save('weather.json', blocksOf(page, 'json')[0] ?? '');
  expect((await souk('manifest', 'check', file)).out).toBe(`${file}: no problem (weather 1.0.0)`);
  expect((await souk('manifest', 'test', file)).out).toMatch(/^passed: A deployment would work\./m);
  expect((await souk('manifest', 'deploy', file)).out).toBe(deployed);
  expect(await forecast({ city: 'Bern' })).toMatchObject({ content: [{ text: 'Bern: 14 °C' }] });

  const [from, to] = [first.indexOf('      inputSchema'), first.indexOf('  );\n  return server')];
  await runServer(`${first.slice(0, from)}${change}\n${first.slice(to)}`);
  // a server is queried again after at least 10 s
  aheadMs += 10_000;
  await waitUntil('the change to be seen', async () =>
    (await souk('manifest', 'diff', 'weather')).out.includes('has changed'),
  );
  expect(await forecast({ city: 'Bern' })).toMatchObject({ isError: true, _meta: { 'souk/code': 'tool_changed' } });
  const [code = ''] = /\w+$/.exec((await souk('manifest', 'diff', 'weather')).out) ?? [];
  expect((await souk('manifest', 'diff', 'weather')).out).toContain(approve.replace(/\w+$/, code));
  expect((await souk('manifest', 'approve', 'weather', '--shown', code)).out).toBe('Approved forecast of weather.');
  const changed = { city: 'Bern', unit: 'fahrenheit' };
  expect(await forecast(changed)).toMatchObject({ content: [{ text: 'Bern: 57.2 °F' }] });

  const [sale = ''] = blocksOf(await pageOf('first-sale.md'), 'json');
  await souk('manifest', 'stage', await save('weather.json', sale));
  expect((await souk('manifest', 'diff', 'weather')).out).toContain('It can be rented for $5/month.');
  await souk('manifest', 'deploy', 'weather');
  expect(await forecast(changed)).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  const { email } = await person.api.getUserProfile();
  await souk('user', 'give', '--email', email, '--rental', 'weather');
  await giveCredits(app, email, 20);
  expect(await forecast(changed)).toMatchObject({ _meta: { 'souk/charged': 2, 'souk/available': 18 } });
  expect(await forecast({ ...changed, city: 'Rome' })).toMatchObject({ isError: true });
  expect(await forecast(changed)).toMatchObject({ _meta: { 'souk/charged': 2, 'souk/available': 16 } });
});
