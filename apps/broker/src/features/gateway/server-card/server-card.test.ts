import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { serverCardSchema, type ServerCard } from '@souk/contract/catalogue/server-card.ts';
import { beforeAll, expect, test } from 'vitest';
import { migrations } from '../../../migrations.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { serverCardRules } from '#testing/servers/official-schemas.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

const long =
  'Finds what a shelf holds, orders what it lacks and says when that arrives, in the words of the people there.';
const mediaType = 'application/mcp-server-card+json';

describeOnEmbedded('the card of a link', migrations, (open) => {
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    const fixture = await startHttpFixture('modern');
    app = await startTestApp({
      db: await open(),
      allowAddresses: [fixture.address],
      env: { ...withoutHealthChecks, BRAND_NAME: 'Bazaar' },
    });
    const connection = { type: 'http', url: fixture.url };
    await deployManifest(app, { id: 'shelf', name: 'Bücherregal', description: long, version: '2.1.0', connection });
    ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
    return async () => {
      await app.stop();
      await fixture.close();
    };
  });

  const get = (link: string, headers: Record<string, string> = {}) =>
    fetch(`${app.publicUrl}${link}/server-card`, { headers: { accept: mediaType, ...headers } });
  async function cardOf(link: string): Promise<ServerCard> {
    const answer = await get(link);
    const text = await answer.text();
    const { errorMessage } = new AjvJsonSchemaValidator().getValidator(serverCardRules)(JSON.parse(text));
    expect(errorMessage).toBeUndefined();
    expect(answer.headers.get('content-type')).toBe(mediaType);
    return serverCardSchema.parse(JSON.parse(text));
  }

  test('contains the address of the link and the revisions in which it is served', async () => {
    const supportedProtocolVersions = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];
    expect(await cardOf('/s/shelf/mcp')).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'localhost/shelf',
      title: 'Bücherregal',
      description: 'Finds what a shelf holds, orders what it lacks and says when that arrives, in the words of the…',
      version: '2.1.0',
      websiteUrl: `${app.publicUrl}/service/shelf`,
      remotes: [{ type: 'streamable-http', url: `${app.publicUrl}/s/shelf/mcp`, supportedProtocolVersions }],
    });
    const all = await cardOf('/mcp');
    expect(all).toMatchObject({
      name: 'localhost/all_services',
      title: 'Bazaar',
      remotes: [{ type: 'streamable-http', url: `${app.publicUrl}/mcp`, supportedProtocolVersions }],
    });
  });

  test.each([
    ['/mcp', '2026-07-28'],
    ['/mcp', 'legacy'],
    ['/s/shelf/mcp', '2026-07-28'],
    ['/s/shelf/mcp', 'legacy'],
  ] as const)('a client of %s (%s) receives the same name, title and version', async (link, era) => {
    const { name, title, version, remotes } = await cardOf(link);
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: era === 'legacy' ? era : { pin: era } } },
    );
    const authorization = `Bearer ${token}`;
    await client.connect(
      new StreamableHTTPClientTransport(new URL(remotes[0]?.url ?? ''), {
        requestInit: { headers: { authorization } },
      }),
    );
    const heard = client.getServerVersion();
    expect(heard).toEqual({ name, title, version });
    const { tools } = await client.listTools();
    const echo = tools.find((tool) => tool.name.endsWith('echo'))?.name ?? '';
    const { _meta: meta } = await client.callTool({ name: echo, arguments: { message: 'x' } });
    // since 2026-07-28 each result names its server
    expect(meta?.['io.modelcontextprotocol/serverInfo']).toEqual(era === 'legacy' ? undefined : heard);
    await client.close();
  });

  test('is cached for an hour, and requested again by its tag', async () => {
    const first = await get('/s/shelf/mcp');
    expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await get('/s/shelf/mcp', { 'if-none-match': tag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await get('/mcp', { 'if-none-match': tag })).status).toBe(200);
  });

  test('a page of any origin may read it, and its tag', async () => {
    for (const link of ['/mcp', '/s/shelf/mcp']) {
      const headers = { origin: 'https://catalogue.example', 'access-control-request-headers': 'if-none-match' };
      const asked = await fetch(`${app.publicUrl}${link}/server-card`, { method: 'OPTIONS', headers });
      expect(Object.fromEntries(asked.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, OPTIONS',
        'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match',
      });
      const answer = await get(link, { origin: headers.origin });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-expose-headers')).toBe('ETag');
    }
  });

  test('a service that is not deployed has none', async () => {
    const answer = await get('/s/none/mcp');
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { success: false, code: 'not_found', message: 'There is no service none' },
    ]);
  });
});
