import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { say, startImportShop, type ImportShop } from './testing/import-shop.ts';

const secret = 'canary-91aa7e20d5';
let folder: string;
let fixture: HttpFixture;
let shop: ImportShop;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'import-deploy-'));
  const stdioAllowlist = join(folder, 'allowlist.json');
  const old = { npm: '@souk-test/small@0.9.0' };
  await writeFile(stdioAllowlist, JSON.stringify({ 'of-the-shop': { npm: '@souk-test/small@1.0.0' }, old }));
  fixture = await startHttpFixture('both');
  shop = await startImportShop({
    paths: { stdioAllowlist },
    allowAddresses: [fixture.address],
    env: { ADMIN_MAY_ALLOW: 'addresses', UPSTREAM_HEADER_WEIR__X_WEIR_KEY: secret },
  });
});
afterAll(async () => {
  await shop?.stop();
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

const configuration = () => ({
  mcpServers: {
    weir: { url: fixture.url, headers: { 'X-Weir-Key': secret } },
    small: { command: 'npx', args: ['-y', '@souk-test/small'] },
    old: { command: 'npx', args: ['-y', '@souk-test/small2@1.0.0'] },
  },
});

describe('a configuration that is imported twice', { shuffle: false }, () => {
  test('a configuration is previewed, staged by a click, deployed, and its tools are called', async () => {
    const entries = await shop.preview(JSON.stringify(configuration()));
    expect(entries.map((entry) => say(entry))).toEqual([
      [`ready weir 1.0.0 http ${fixture.url} price 0`, 'secret: X-Weir-Key in UPSTREAM_HEADER_WEIR__X_WEIR_KEY'],
      [
        'ready small 1.0.0 stdio @souk-test/small@1.0.0 price 0',
        'note: It has no exact version: npm currently has 1.0.0.',
      ],
      [
        'blocked old 1.0.0 stdio @souk-test/small2@1.0.0 price 0',
        'why: the allow-list of programs starts something else under this name: change its entry to the one below in the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
        'allow: {"npm":"@souk-test/small2@1.0.0"}',
        'note: Add "network": true to the entry if it talks to the internet.',
      ],
    ]);
    expect(entries[0]?.manifest, 'what the administrator did not write is not invented').toMatchObject({
      name: 'weir',
      description: 'weir',
    });
    // the preview stages nothing
    expect((await shop.api.listManifests({ query: {} })).manifests.map(({ id }) => id)).not.toContain('weir');
    const ready = entries.flatMap(({ result, manifest }) => (result === 'ready' && manifest ? [{ manifest }] : []));
    expect((await shop.api.stageImport({ body: { entries: ready, reason: 'tried' } })).results).toEqual([
      { id: 'weir', version: '1.0.0', result: 'staged' },
      { id: 'small', version: '1.0.0', result: 'staged' },
    ]);
    const { token } = await shop.app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    for (const [id, tool, answer] of [
      ['weir', 'weir__echo', /^hi$/],
      // the program returns its process id
      ['small', 'small__echo', /^\d+$/],
    ] as const) {
      const { failure } = await shop.api.deployManifest({ params: { id }, body: {} });
      expect(failure).toBeUndefined();
      const client = await connectModern(`${shop.app.publicUrl}/mcp`, token);
      expect(await client.callTool({ name: tool, arguments: { text: 'hi' } })).toMatchObject({
        content: [{ type: 'text', text: expect.stringMatching(answer) }],
      });
      await client.close();
    }
    expect(fixture.seen.requests.map(({ headers }) => headers['x-weir-key'])).toContain(secret);
    const { rows } = await shop.app.db.query('select body, source from manifest_versions');
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(shop.app.logged()).not.toContain(secret);
  });

  test('a text that was imported before changes nothing; a changed one is another version of the same server', async () => {
    const again = await shop.preview(JSON.stringify(configuration()));
    expect(again.slice(0, 2).map(({ result, reason }) => [result, reason])).toEqual([
      ['unchanged', 'version 1.0.0 is already here'],
      ['unchanged', 'version 1.0.0 is already here'],
    ]);
    const headers = { 'X-Reed-Key': secret };
    const another = {
      mcpServers: { weir: { url: fixture.url, headers }, small: { url: 'https://small.example/mcp' } },
    };
    const [weir, small] = await shop.preview(JSON.stringify(another));
    expect(weir && say(weir)).toEqual([
      `ready weir 1.0.1 http ${fixture.url} price 0`,
      'secret: X-Reed-Key in UPSTREAM_HEADER_WEIR__X_REED_KEY',
      'change: version: 1.0.0 -> 1.0.1',
      'change: header X-Reed-Key: {"name":"X-Reed-Key","from":"operator"}',
      'change: header X-Weir-Key: removed (was {"name":"X-Weir-Key","from":"operator"})',
    ]);
    // a program and an address of one name are two servers
    expect(small && say(small)).toEqual(['ready small-2 1.0.0 http https://small.example/mcp price 0']);
  });
});

test('addresses that cannot be allowed are refused, and an address that administrators may allow is named', async () => {
  const urls = {
    inside: 'http://10.9.9.9:8080/mcp',
    cloud: 'http://169.254.169.254/mcp',
    shop: `${shop.app.publicUrl}/mcp`,
    here: 'http://127.0.0.1:9/mcp',
  };
  const mcpServers = Object.fromEntries(Object.entries(urls).map(([id, url]) => [id, { url }]));
  const entries = await shop.preview(JSON.stringify({ mcpServers }));
  expect(entries.map(({ result, reason, allowAddress }) => [result, allowAddress, reason])).toEqual([
    [
      'blocked',
      '10.9.9.9:8080',
      'its address must be a public address, or one that is allowed: an administrator adds 10.9.9.9:8080 under Allow List, or the operator sets UPSTREAM_ALLOW_ADDRESSES=10.9.9.9:8080',
    ],
    [
      'refused',
      undefined,
      'its address must be a public address: clouds give out the credentials of this machine there',
    ],
    ['refused', undefined, 'its address is the address of this shop itself'],
    [
      'blocked',
      undefined,
      'its address must be a public address, or one that the operator allows (UPSTREAM_ALLOW_ADDRESSES=127.0.0.1:9)',
    ],
  ]);
  const warningOf = (address: string) =>
    `Once ${address} is allowed, every manifest can make Souk connect there, also with plain http. Allow it only if you run the MCP server there.`;
  expect(entries.map(({ warning }) => warning)).toEqual([
    warningOf('10.9.9.9:8080'),
    undefined,
    undefined,
    warningOf('127.0.0.1:9'),
  ]);
});

test('an entry that is refused when it is staged does not block the others', async () => {
  const [entry] = await shop.preview(JSON.stringify({ mcpServers: { reed: { url: 'https://reed.example/mcp' } } }));
  const manifest = entry?.manifest ?? {};
  const inside = { ...manifest, id: 'inside', connection: { type: 'http', url: 'http://169.254.169.254/mcp' } };
  const { results } = await shop.api.stageImport({ body: { entries: [{ manifest: inside }, { manifest }] } });
  expect(results).toEqual([
    {
      id: 'inside',
      version: '1.0.0',
      result: 'refused',
      message: expect.stringMatching(/^connection\.url: must be a public address/),
    },
    { id: 'reed', version: '1.0.0', result: 'staged' },
  ]);
});

test('several versions of one server, as a registry lists them, are one server: the first is used', async () => {
  const version = (number: string) => ({
    server: { name: 'example.twice/one', version: number, remotes: [{ type: 'http', url: 'https://one.example/mcp' }] },
  });
  const entries = await shop.preview(JSON.stringify({ servers: [version('2.0.0'), version('1.0.0')] }));
  expect(entries.map(({ result, version: of, reason }) => [result, of, reason])).toEqual([
    ['ready', '2.0.0', undefined],
    ['refused', undefined, 'the text names this server several times: only the first one, version 2.0.0, is imported'],
  ]);
});
