import { createServer } from 'node:http';
import { getCapabilities } from '@souk/contract/catalogue/catalogue.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { direct } from '#platform/http/outgoing/outgoing.ts';
import { createLog } from '#platform/log.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { createIcons } from './create-icons.ts';
import { startListServer, type ListServer } from '../testing/list-server.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('a picture')]);
const jpeg = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from('a picture')]);
const webp = Buffer.concat([Buffer.from('RIFF....WEBPVP8 '), Buffer.from('a picture')]);
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
const pictures: Record<string, Buffer> = {
  '/a.png': png,
  '/a.jpg': jpeg,
  '/a.webp': webp,
  '/b.webp': webp,
  // sent as image/png, like all of these
  '/a.svg': svg,
  '/page.png': Buffer.from('<!doctype html><script>alert(1)</script>'),
  '/large.png': Buffer.concat([png, Buffer.alloc(256 * 1024)]),
};

let app: TestApp;
let elsewhere: { port: number; close(): Promise<void> };
/** A server whose address is not allowed. */
let inside: { port: number; close(): Promise<void> };
const insideAsked: string[] = [];
let server: ListServer;
const asked: string[] = [];

beforeAll(async () => {
  elsewhere = await listenLocally(
    createServer((request, response) => {
      asked.push(request.url ?? '');
      const picture = pictures[request.url ?? ''];
      if (picture) return response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
      return response.writeHead(302, { location: '/a.png' }).end();
    }),
  );
  inside = await listenLocally(
    createServer((request, response) => {
      insideAsked.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    }),
  );
  server = await startListServer('modern');
  app = await startTestApp({ allowAddresses: [`127.0.0.1:${elsewhere.port}`, server.address] });
});
afterAll(async () => {
  await app?.stop();
  await elsewhere?.close();
  await inside?.close();
  await server?.close();
});

const at = (path: string) => `http://127.0.0.1:${elsewhere.port}${path}`;
const unreachable = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
async function iconOf(id: string): Promise<string | undefined> {
  const answer = await fetch(`${app.publicUrl}/mcp/capabilities`);
  const { servers } = getCapabilities.answer.parse(await answer.json());
  return servers.find(({ serverId }) => serverId === id)?.metadata.icon;
}

/** Waits until an icon was accepted or left out. */
const decided = (id: string) =>
  waitUntil('it is decided', async () => toldOf(app, id) !== undefined || (await iconOf(id)) !== undefined);

/** Returns what the log says about the icon of a server that was left out. */
function toldOf({ logged }: TestApp, id: string): string | undefined {
  return logged()
    .split('\n')
    .find((line) => line.includes(`"server":"${id}"`) && line.includes('the icon of a server is left out'));
}

test.each([
  ['png', 'image/png', png],
  ['jpg', 'image/jpeg', jpeg],
  ['webp', 'image/webp', webp],
] as const)(
  '[HOME-6] the icon of a server is fetched once, and served by us with its true type: %s',
  async (extension, contentType, bytes) => {
    const id = `has-${extension}`;
    await deployManifest(app, { id, icon: at(`/a.${extension}`), connection: unreachable }, 'unasked');
    await waitUntil('the icon is loaded', async () => (await iconOf(id)) !== undefined);
    const path = (await iconOf(id)) ?? '';
    expect(path).toMatch(new RegExp(`^/icons/[0-9a-f]{64}\\.${extension}$`));
    for (let count = 0; count < 2; count++) {
      const icon = await fetch(`${app.publicUrl}${path}`);
      expect(Object.fromEntries(icon.headers)).toMatchObject({
        'content-type': contentType,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'",
        'cache-control': 'public, max-age=31536000, immutable',
      });
      expect(Buffer.from(await icon.arrayBuffer())).toEqual(bytes);
    }
    expect(asked.filter((url) => url === `/a.${extension}`)).toHaveLength(1);
  },
);

test.each([
  ['svg', '/a.svg', 'not a PNG, JPEG or WebP picture'],
  ['page', '/page.png', 'not a PNG, JPEG or WebP picture'],
  ['large', '/large.png', 'larger than 262144 bytes'],
  ['redirect', '/elsewhere.png', 'its address answered 302'],
])(
  'an icon that is not a picture (%s) is left out, the log says so, and the server is listed',
  async (id, path, reason) => {
    await deployManifest(app, { id, icon: at(path), connection: unreachable }, 'error');
    await decided(id);
    expect(toldOf(app, id)).toContain(reason);
    expect(await iconOf(id)).toBeUndefined();
  },
);

test('security row 32: an icon at an address of this machine is refused by the guard, and an invalid address is dropped', async () => {
  const icons = {
    // a valid picture, but its address is not allowed
    inside: `http://127.0.0.1:${inside.port}/a.png`,
    script: 'javascript:alert(1)',
  };
  for (const [id, icon] of Object.entries(icons))
    await deployManifest(app, { id, icon, connection: unreachable }, 'error');
  await decided('inside');
  expect(toldOf(app, 'inside')).toContain('is not a public address');
  expect(insideAsked).toEqual([]);
  expect([await iconOf('inside'), await iconOf('script')]).toEqual([undefined, undefined]);
  await deployManifest(app, { id: 'own', icon: '/oauth/mark.svg', connection: unreachable }, 'unasked');
  expect(await iconOf('own')).toBe('/oauth/mark.svg');
});

test('in production icons are fetched over TLS, except from addresses and networks that the operator allows', async () => {
  await deployManifest(app, { id: 'any', connection: unreachable }, 'unasked');
  const any = app.catalogue.snapshot().byId.get('any');
  if (!any) throw new Error('not deployed');
  // a public literal: refused before anything is sent
  const addresses = { any: at('/b.webp'), plain: 'http://1.1.1.1/a.png' };
  const servers = Object.entries(addresses).map(([id, icon]) => ({ ...any, id, manifest: { ...any.manifest, icon } }));
  const fetched: string[] = [];
  const told: string[] = [];
  const icons = createIcons({
    outgoing: direct,
    db: app.db,
    catalogue: {
      ...app.catalogue,
      snapshot: () => ({ ...app.catalogue.snapshot(), servers }),
      iconChanged: async (id) => void fetched.push(id),
      onChange: () => () => false,
    },
    allowAddresses: [`127.0.0.0/8:${elsewhere.port}`],
    production: true,
    clock: { now: () => Date.now() },
    log: createLog('warn', { write: (line: string) => void told.push(line) }),
  });
  icons.start();
  await waitUntil('both to be decided', () => fetched.length + told.length === 2);
  await icons.stop();
  expect(fetched).toEqual(['any']);
  expect(told[0]).toContain('must be reached with https');
});

test('an unknown address under /icons/ answers 404', async () => {
  for (const file of [`${'0'.repeat(64)}.png`, 'x.png', '..%2fx']) {
    expect((await fetch(`${app.publicUrl}/icons/${file}`)).status).toBe(404);
  }
});

test('pages may show pictures of this origin only, except profile pictures at Google', async () => {
  const policy = (await fetch(`${app.publicUrl}/mcp/info`)).headers.get('content-security-policy');
  expect(policy).toContain("img-src 'self' https://*.googleusercontent.com data:;");
});

test('clients get no tool icon that they would load from another origin', async () => {
  const enclosed = { src: `data:image/png;base64,${png.toString('base64')}` };
  const icons = [{ src: at('/a.png') }, { src: 'data:image/svg+xml;base64,x' }, enclosed];
  const inputSchema = { type: 'object' };
  server.offer({
    tools: [
      { name: 'one', inputSchema, icons },
      { name: 'two', inputSchema, icons: [{ src: at('/a.png') }] },
    ],
    prompts: [{ name: 'three', icons }],
  });
  await deployManifest(app, { id: 'iconic', connection: { type: 'http', url: server.url } });
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  const client = await connectModern(`${app.publicUrl}/s/iconic/mcp`, token);
  const [{ tools }, { prompts }] = [await client.listTools(), await client.listPrompts()];
  await client.close();
  expect(tools.map((tool) => tool.icons)).toEqual([[enclosed], undefined]);
  expect(prompts.map((prompt) => prompt.icons)).toEqual([[enclosed]]);
});
