import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { readEntries } from '#features/upstreams/index.ts';
import { draftServers } from './import-servers.ts';
import { runSouk } from '../testing/run-souk.ts';

const importServers = (source: string) => draftServers(readEntries(source));

const secret = 'sk-canary-1234567890';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'import-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (configuration: string, argv: string[] = [], environment: NodeJS.ProcessEnv = {}) =>
  runSouk(['manifest', 'import', '-', '--to', join(folder, 'own'), ...argv], {
    environment: { DATA_DIR: join(folder, 'data'), ...environment },
    stdin: async () => Buffer.from(configuration),
  });
const written = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, 'own', name), 'utf8'));

test("in Claude Desktop's and Cursor's format addresses become manifests, and their headers secrets by name", async () => {
  const configuration = JSON.stringify({
    mcpServers: {
      'Code Host': { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer ${secret}`, Accept: 'x' } },
      Feed: { type: 'sse', url: 'https://feed.example.com/sse' },
      socket: { url: 'wss://socket.example.com/' },
      bridged: {
        command: 'npx',
        args: ['-y', 'mcp-remote', 'https://b.example.com/mcp', '--header', `X-Key:${secret}`],
      },
    },
  });
  const { code, out, err } = await run(configuration);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(await written('code-host.json')).toMatchObject({
    id: 'code-host',
    connection: { type: 'http', url: 'https://mcp.example.com/mcp' },
    auth: { type: 'headers', headers: [{ name: 'Authorization', from: 'operator' }] },
  });
  expect(await written('socket.json')).toMatchObject({ connection: { type: 'websocket' } });
  expect(await written('bridged.json')).toMatchObject({
    connection: { type: 'http', url: 'https://b.example.com/mcp' },
    auth: { headers: [{ name: 'X-Key', from: 'operator' }] },
  });
  expect(out).toContain('UPSTREAM_HEADER_CODE_HOST__AUTHORIZATION');
  expect(out).toContain('UPSTREAM_HEADER_BRIDGED__X_KEY');
  expect(out).toContain('older HTTP+SSE transport');
  const files = await readdir(join(folder, 'own'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, 'own', name), 'utf8')));
  expect(`${out}${texts.join('')}`).not.toContain(secret);
  // nothing is overwritten
  const again = await run(configuration);
  expect(again.code).toBe(1);
  expect(again.out).toContain('code-host.json exists already and was not changed');
});

test('[GEN-44] names of the official registry are mapped to valid ids, and the manifest keeps the original name', async () => {
  const names = ['io.github.owner/Weather.Tools', 'io.github.owner/weather-tools', `com.example/${'n'.repeat(150)}`];
  const server = { type: 'http', url: 'https://mcp.example.com/mcp' };
  const entries = [...names, 'x/health', `com.example/${'n'.repeat(300)}`, 'Team/of/two'].map((name) => [name, server]);
  const { code, err } = await run(JSON.stringify({ servers: Object.fromEntries(entries) }));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const files = await readdir(join(folder, 'own'));
  const manifests = await Promise.all(files.map(async (name) => manifestSchema.parse(await written(name))));
  const long = `com-example-${'n'.repeat(46)}`;
  expect(manifests.map(({ id, name, registryName }) => [id, name, registryName])).toEqual([
    [`${long}-2`, expect.stringMatching(/^com\.example\/n+$/), undefined],
    [long, 'n'.repeat(80), names[2]],
    ['io-github-owner-weather-tools-2', 'weather-tools', names[1]],
    ['io-github-owner-weather-tools', 'Weather.Tools', names[0]],
    ['team-of-two', 'Team/of/two', undefined],
    ['x-health', 'health', 'x/health'],
  ]);
});

test('secrets in the arguments of a program are left out, and the output names them', async () => {
  const args = ['-y', 'acme@1.2.3', '--api-key', secret, `--token=${secret}`, `DB_PASSWORD=${secret}`];
  args.push(
    '-H',
    `Authorization: Bearer ${secret}`,
    `postgres://me:${secret}@db.example.com/`,
    '--verbose',
    '--keyless',
    '--port=1',
  );
  const configuration = JSON.stringify({ mcpServers: { acme: { command: 'npx', args } } });
  const { code, out } = await run(configuration);
  expect(code).toBe(0);
  expect(out).not.toContain(secret);
  expect(out).toContain('Arguments that carry a secret are left out');
  expect(importServers(configuration)[0]?.allowlist).toEqual({
    acme: { npm: 'acme@1.2.3', args: ['--verbose', '--keyless', '--port=1'] },
  });
});

test('a hostile configuration writes only text to the terminal', async () => {
  const hostile = '\u001B]0;owned\u0007\u009B2J\u202E';
  const entry = { command: 'x', args: [hostile], env: { [hostile]: '1' } };
  const { out, err } = await run(
    JSON.stringify({ mcpServers: { [`a${hostile}\nb: written`]: entry, b: { url: hostile } } }),
  );
  expect(out.split('\n').find((line) => line.startsWith('a'))).toMatch(/^a]0;owned2Jb: written: written to /);
  expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('a configuration over 1 MiB is refused as too large', async () => {
  const configuration = JSON.stringify({ mcpServers: {}, more: 'x'.repeat(1024 * 1024) });
  expect(await run(configuration)).toMatchObject({ code: 64, err: expect.stringContaining('is larger than 1 MiB') });
});

test("in VS Code's format, with comments, a program says that it needs an entry, and prints it", async () => {
  const { code, out } = await run(`{
    // of the team
    "inputs": [],
    "servers": {
      "tickets": { "type": "stdio", "command": "npx", "args": ["-y", "@acme/tickets@1.2.3", "--verbose"], "env": { "TICKETS_TOKEN": "${secret}" } },
      "local": { "command": "python3", "args": ["/srv/server.py"] },
    },
  }`);
  expect(code).toBe(0);
  expect(await written('tickets.json')).toMatchObject({ connection: { type: 'stdio', command: 'tickets' } });
  expect(out).toContain('It is a program. Souk only starts programs of the allow-list');
  expect(out).toContain('Once this program is allowed, this machine runs its code');
  expect(out).toContain('UPSTREAM_ENV_TICKETS__TICKETS_TOKEN');
  expect(out).not.toContain(secret);
  const [tickets, local] = importServers(
    '{"servers":{"tickets":{"command":"npx","args":["-y","@acme/tickets@1.2.3","--verbose"],"env":{"TICKETS_TOKEN":"x"}},"local":{"command":"python3","args":["/srv/server.py"]}}}',
  );
  expect(tickets?.allowlist).toEqual({
    tickets: { npm: '@acme/tickets@1.2.3', args: ['--verbose'], secrets: ['TICKETS_TOKEN'] },
  });
  expect(local?.allowlist).toEqual({ local: { argv: ['python3', '/srv/server.py'] } });
});

test.each([
  [{ url: `https://a.example.com/?api_key=${secret}` }, 'carries a secret (?api_key=)'],
  [{ url: `https://me:${secret}@a.example.com/` }, 'carries a user name or password'],
  [{ url: 'https://${input:host}/mcp' }, 'its address has ${input:host} in it'],
  [{ url: 'ftp://a.example.com/' }, 'cannot connect to ftp:'],
  [{ nothing: 1 }, 'neither a url nor a command'],
])('an entry %j is left out, with the reason and without the secret', async (entry, reason) => {
  const { code, out } = await run(JSON.stringify({ mcpServers: { a: entry } }));
  expect(code).toBe(1);
  expect(out).toContain('a: not imported');
  expect(out).toContain(reason);
  expect(out).not.toContain(secret);
});

test('names become ids: unique, not reserved, and never outside of the folder', () => {
  const names = ['../../etc/x', 'A b', 'a-b', 'tools', '日本', '-'];
  const entries = Object.fromEntries(names.map((name) => [name, { url: 'https://a.example.com/' }]));
  expect(importServers(JSON.stringify({ mcpServers: entries })).map(({ id }) => id)).toEqual([
    'etc-x',
    'a-b',
    'a-b-2',
    'mcp-tools',
    'server',
    'server-2',
  ]);
});

test.each(['', '[]', '{"a":1}', '{"mcpServers":{}}', '{"mcpServers":{"a":{},"a":{}}}'])(
  'a text that is not a configuration is refused: %s',
  async (text) => expect(await run(text)).toMatchObject({ code: 64, out: '' }),
);
