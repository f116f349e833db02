import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';

// Every refused manifest, by its text, on both calls that accept one (specification part 2, section 5).

let shop: Administration['shop'];
let fixture: Administration['fixture'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, fixture, administrator, admin, send } = started);
});
afterAll(() => started?.stop());

const largest = 256 * 1024;
const missing = 'Invalid manifest: Missing required fields (id, name, serviceType)';
const syntax = 'Invalid JSON format. Please check your manifest syntax.';

const manifest = (change: object = {}) => ({
  id: 'top',
  name: 'Top',
  serviceType: 'mcp',
  version: '9.0.0',
  description: 'A server of a test.',
  category: 'data',
  connection: { type: 'http', url: fixture.url },
  ...change,
});
const text = (change: object = {}) => JSON.stringify(manifest(change));
/** Builds a text with `change` before the fields of a manifest. */
const beginning = (change: string) => () => text().replace('{', `{${change},`);
const at =
  (url: string, type = 'http') =>
  () =>
    text({ connection: { type, url } });
const runs = (command: string) => () => text({ connection: { type: 'stdio', command } });
const invalid = (message: string) => ({
  status: 400,
  code: 'manifest_invalid',
  message: `Invalid manifest: ${message}`,
});
const missed = { status: 400, code: 'manifest_invalid', message: missing };
const broken = { status: 400, code: 'invalid_json', message: syntax };
const id = 'id must be 1 to 63 of a-z, 0-9 and -, beginning with a letter or digit';
const notAllowed = (reason: string) => ({
  status: 400,
  code: 'url_not_allowed',
  message: expect.stringMatching(new RegExp(`^connection\\.url: .*${reason}`)),
  issues: [{ path: 'connection.url', message: expect.stringMatching(new RegExp(reason)) }],
});
const noProgram = (command: string) => ({
  status: 400,
  code: 'command_not_allowed',
  message: `connection.command: "${command}" is not on this installation's allow-list of commands`,
  issues: [
    {
      path: 'connection.command',
      message: 'is not on the allow-list of programs, the file that STDIO_ALLOWLIST names',
    },
  ],
});

const refused: readonly [string, () => string, object][] = [
  ['[MAN-21] nothing', () => '', { status: 400, message: 'Please enter a manifest JSON or upload a file' }],
  ['[MAN-23] a brace', () => '{', broken],
  ['[MAN-23] a comma too many', () => text().replace(/\}$/, ',}'), broken],
  ['[MAN-23] no JSON', () => 'id: top', broken],
  ['[MAN-22] no fields', () => '{}', missed],
  ['[MAN-22] no id', () => text({ id: undefined }), missed],
  ['[MAN-22] no name', () => text({ name: undefined }), missed],
  ['[MAN-22] no service type', () => text({ serviceType: undefined }), missed],
  ['a list', () => '[]', invalid('must be an object')],
  ['null', () => 'null', invalid('must be an object')],
  [
    'a byte order mark',
    () => `\uFEFF${text()}`,
    invalid('begins with a byte order mark: save it as UTF-8 without BOM'),
  ],
  ['NUL', () => text().replace('Top', 'T\0op'), invalid('contains a NUL character')],
  ['an escaped NUL', () => text().replace('Top', String.raw`T\u0000op`), invalid('contains a NUL character')],
  ['a key that comes twice', beginning('"id":"other"'), invalid('id is a duplicate key')],
  ['__proto__', beginning('"__proto__":{"a":1}'), invalid('__proto__ is not an allowed name')],
  ['constructor', beginning('"constructor":{}'), invalid('constructor is not an allowed name')],
  ['100,000 brackets', () => '['.repeat(100_000), invalid('is nested deeper than 64 levels')],
  ['a field that there is none', () => text({ active: true }), invalid('active is not a field of a manifest')],
  ['an id that climbs', () => text({ id: '../../x' }), invalid(id)],
  ['__proto__ as the id', () => text({ id: '__proto__' }), invalid(id)],
  ['an id in capitals', () => text({ id: 'Top' }), invalid(id)],
  ['an id of 64 characters', () => text({ id: 'x'.repeat(64) }), invalid(id)],
  ['an id of our addresses', () => text({ id: 'health' }), invalid('id is reserved')],
  ['a version of nothing', () => text({ version: '' }), invalid('version must be a version such as 1.0.0')],
  [
    'a name with a hidden turn',
    () => text({ name: 'Top\u202Epot' }),
    invalid('name must not contain hidden characters'),
  ],
  ['an address as a number', at('http://2130706433/'), notAllowed('')],
  ['an address in hexadecimals', at('http://0x7f.1/'), notAllowed('')],
  ['an IPv4-mapped address', at('http://[::ffff:127.0.0.1]/'), notAllowed('')],
  ['full-width digits', at('http://１２７.0.0.1/'), notAllowed('')],
  ['the metadata of a cloud', at('http://169.254.169.254/latest/'), notAllowed('')],
  ['a private address', at('ws://10.0.0.1/', 'websocket'), notAllowed('')],
  [
    'a service that there is none',
    at('service:nothing'),
    notAllowed('this installation has no service called "nothing"'),
  ],
  [
    'credentials in an address',
    at('https://ann:secret@example.com/mcp'),
    invalid('connection.url must be a https or http address without credentials, or service:<name>'),
  ],
  [
    'a script as an address',
    at('javascript:alert(1)'),
    invalid('connection.url must be a https or http address without credentials, or service:<name>'),
  ],
  ...[
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'http://icons.example.com/a.png',
    '//icons.example.com/a.png',
    '/\\icons.example.com/a.png',
    'https://ann:secret@icons.example.com/a.png',
    'icon.png',
  ].map((icon): [string, () => string, object] => [
    `the icon ${icon}`,
    () => text({ icon }),
    {
      ...invalid('icon must be an https address, or a path on our own origin'),
      issues: [{ path: 'icon', message: 'must be an https address, or a path on our own origin' }],
    },
  ]),
  ['a shell', runs('/bin/sh'), noProgram('/bin/sh')],
  ['a command line', runs('npx -y evil'), noProgram('npx -y evil')],
  [
    'a half-written connection',
    () => text({ connection: { type: 'stdio' } }),
    invalid('connection.command is missing'),
  ],
  [
    '256 KiB and a byte',
    () => text({ description: 'x' }).padEnd(largest + 1),
    { status: 413, code: 'payload_too_large', message: 'The request body is too large.' },
  ],
];

describe('a manifest is refused on both calls, and stores nothing', () => {
  test.each(refused)('%s', async (_name, body, answer) => {
    const before = (await shop.db.query('select count(*) from manifest_versions')).rows;
    for (const address of ['POST /admin/manifests', 'PUT /admin/manifests/top'])
      expect(await send(address, administrator.accessToken, body()), address).toMatchObject({
        success: false,
        ...answer,
      });
    expect((await shop.db.query('select count(*) from manifest_versions')).rows).toEqual(before);
  });
});

test('a manifest of exactly 256 KiB is staged', async () => {
  const body = text({ version: '9.0.1' }).padEnd(largest);
  expect(await send('POST /admin/manifests', administrator.accessToken, body)).toMatchObject({ result: 'staged' });
  const again = text({ version: '9.0.2' }).padEnd(largest);
  expect(await send('PUT /admin/manifests/top', administrator.accessToken, again)).toMatchObject({ result: 'staged' });
});

test('markup in a name is text, and an icon of a deployed version that is a script is not accepted', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const icon = 'javascript:alert(1)';
  const body = manifest({ id: 'markup', name, icon, description: '<script>alert(1)</script>' });
  await deployManifest(shop, body);
  const { manifests } = await admin.listManifests({ query: { search: 'onerror' } });
  expect(manifests).toMatchObject([{ id: 'markup', name, description: '<script>alert(1)</script>' }]);
  const answer = await fetch(`${shop.publicUrl}/api/catalogue/servers/markup`);
  expect(answer.headers.get('content-type')).toContain('application/json');
  const told = await answer.text();
  expect(told).toContain(JSON.stringify(name));
  expect(told).not.toContain('javascript:');
});

test('a manifest sent to another id, or as another type, is refused', async () => {
  expect(await send('PUT /admin/manifests/paid', administrator.accessToken, manifest())).toMatchObject({
    status: 400,
    message: 'id: must be paid, as in the address',
    issues: [{ path: 'id' }],
  });
  expect(await send('PUT /admin/manifests/none', administrator.accessToken, manifest({ id: 'none' }))).toMatchObject({
    status: 404,
    message: 'There is no manifest of none',
  });
  const answer = await fetch(`${shop.publicUrl}/admin/manifests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${administrator.accessToken}`, 'content-type': 'text/plain' },
    body: text(),
  });
  expect(answer.status).toBe(415);
});
