import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { serverCommands } from './server-commands.ts';
import { runCli } from '#operator/cli/run-cli.ts';

/** Secrets that the operator gives a program, and what a program writes to stderr: tests who sees them. */
let folder: string;
let app: TestApp;
let operator: OperatorServer;
let token: string;
const pem = '-----BEGIN KEY-----\ncanary-pem\n-----END KEY-----';

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'secrets-'));
  const program = join(import.meta.dirname, '../../testing/servers/small-stdio.ts');
  const argv = ['{node}', program];
  const list = {
    fault: { argv, reads: [program], secrets: ['API_TOKEN', 'KEY'] },
    chatty: { argv, reads: [program], secrets: ['API_TOKEN'] },
  };
  const stdioAllowlist = join(folder, 'allowlist.json');
  await writeFile(stdioAllowlist, JSON.stringify(list));
  await writeFile(join(folder, 'key.pem'), `${pem}\n`);
  const UPSTREAM_ENV_FAULT__KEY_FILE = join(folder, 'key.pem');
  app = await startTestApp({
    paths: { stdioAllowlist },
    env: { UPSTREAM_ENV_FAULT__API_TOKEN: 'canary-token', UPSTREAM_ENV_FAULT__KEY_FILE },
  });
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: serverCommands(app),
    log: createLog('silent'),
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  await deployManifest(app, { id: 'fault', slug: 'fault', connection: { type: 'stdio', command: 'fault' } });
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  const answer = JSON.stringify((await client.callTool({ name: `fault__${name}`, arguments: args })).content);
  await client.close();
  return answer;
}

async function serverLog(...argv: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const environment = { DATA_DIR: app.dataDir };
  const code = await runCli(['server', 'log', ...argv], { environment, stdout: print, stderr: print });
  return { code, printed: lines.join('\n') };
}

// one log, which the last test reads
describe('secrets of programs', { shuffle: false }, () => {
  test('a program gets its secrets in its environment, from a variable and from a file, and no process has them in its arguments', async () => {
    const found = await call('look', { files: ['/proc/self/environ'] });
    for (const part of ['API_TOKEN=canary-token', 'KEY=-----BEGIN KEY-----', 'canary-pem'])
      expect(found).toContain(part);
    const pids = app.upstreams.pool.stdioPids('fault');
    expect(pids).toHaveLength(1);
    const all = await Promise.all(pids.map(withChildren));
    for (const pid of all.flat()) expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('canary');
  });

  async function withChildren(pid: number): Promise<number[]> {
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
    const below = children === '' ? [] : await Promise.all(children.split(' ').map(Number).map(withChildren));
    return [pid, ...below.flat()];
  }

  test('the operator reads what a program wrote to stderr, without its secrets; other users do not', async () => {
    await call('complain', { about: 'the-weather', key: 'canary-pem' });
    await waitUntil('it was read', () => app.upstreams.programs.linesOf('fault').length > 0);
    const { code, printed } = await serverLog('fault');
    expect(code).toBe(0);
    expect(printed).toBe('connected\n  {"about":"the-weather","key":"[redacted]"} [redacted]');
    expect(app.logged()).toContain('the-weather');
    const pages = await Promise.all(
      ['/mcp/info', '/mcp/health', '/mcp/tools'].map(async (path) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${app.publicUrl}${path}`, { headers })).text();
      }),
    );
    expect(pages.join()).not.toContain('the-weather');
  });

  test('a crash is in the log of its server', async () => {
    await call('crash', {});
    const lines = () => app.upstreams.programs.linesOf('fault').join();
    await waitUntil('its end is recorded', () => lines().includes('(the process ended'));
    expect((await serverLog('fault')).printed).toContain('(the process ended (exit code 3))');
  });

  test('a program whose secret is not set does not start: its status says so, and the operator learns which', async () => {
    await deployManifest(
      app,
      { id: 'chatty', slug: 'chatty', connection: { type: 'stdio', command: 'chatty' } },
      'error',
    );
    const { statusDetail } = app.catalogue.snapshot().byId.get('chatty') ?? {};
    expect(statusDetail).toBe('The operator has not finished setting this service up');
    expect((await serverLog('chatty')).printed).toContain('UPSTREAM_ENV_CHATTY__API_TOKEN is not set');
    const missing = 'a program cannot start: UPSTREAM_ENV_CHATTY__API_TOKEN (or UPSTREAM_ENV_CHATTY__API_TOKEN_FILE)';
    expect(app.logged()).toContain(missing);
  });

  test('a server whose header the operator has not set says so too: users see no variable name, the operator does', async () => {
    const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] } as const;
    const connection = { type: 'http', url: 'https://tickets.example/mcp' } as const;
    await deployManifest(app, { id: 'tickets', connection, auth }, 'error');
    const { statusDetail } = app.catalogue.snapshot().byId.get('tickets') ?? {};
    expect(statusDetail).toBe('The operator has not finished setting this service up');
    expect((await serverLog('tickets')).printed).toBe(
      `error: ${statusDetail}\nReason: UPSTREAM_HEADER_TICKETS__X_KEY is not set, and X-Key was not entered for it under Secrets on the server's page, or by npm run souk -- secret set`,
    );
  });

  test('a server that is not deployed, and an unknown server, are refused with a reason', async () => {
    expect(await serverLog('other')).toEqual({
      code: 1,
      printed: 'The broker refused: No server other is deployed.',
    });
    expect(await serverLog()).toEqual({ code: 64, printed: 'Name a server: npm run souk -- server log ID' });
  });

  test('no secret is in the log of the broker, at debug', () => {
    expect(app.logged()).toContain('the-weather');
    expect(app.logged()).not.toContain('canary');
  });
});
