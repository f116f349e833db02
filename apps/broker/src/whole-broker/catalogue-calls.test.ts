import {
  getCapabilities,
  getHealth,
  getInfo,
  getPrompts,
  getResources,
  getTools,
  type ServerAnswer,
} from '@souk/contract/catalogue/catalogue.ts';
import { createServer, type Socket } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { getWithEncoding } from '#testing/people/get-with-encoding.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let fixture: HttpFixture;
let token: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    env: { ...withoutHealthChecks, SUPPORT_EMAIL: 'help@souk.test' },
  });
  await deployManifest(app, {
    id: 'weather',
    name: 'Weather',
    author: 'Sky Ltd',
    description: 'Forecasts <img src=x onerror=alert(1)>',
    icon: 'javascript:alert(1)',
    connection: { type: 'http', url: fixture.url },
    billing: { tier: 'T2', rental: { price: 900 }, toolCosts: { echo: 5 }, trialDays: 7 },
    features: ['Forecasts', 'Alerts'],
  });
  await deployManifest(
    app,
    {
      id: 'paid',
      name: 'Paid',
      version: '2.3.4',
      author: 'Sky Ltd',
      description: 'Forecasts for a price',
      icon: '/oauth/mark.svg',
      connection: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
      billing: {
        tier: 'T2',
        rental: { price: 1250, currency: 'USD', name: 'Paid for a month', description: 'Every forecast' },
        trialDays: 7,
      },
      features: ['Forecasts', 'Alerts'],
    },
    'error',
  );
  await deployManifest(app, { id: 'down', connection: { type: 'http', url: 'http://127.0.0.1:9/mcp' } }, 'error');
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

/** Accepts connections and never responds. */
async function listenInSilence() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    address: `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function get(path: string, token?: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(
    `${app.publicUrl}${path}`,
    token ? { headers: { authorization: `Bearer ${token}` } } : {},
  );
  return { status: response.status, body: await response.json() };
}

async function serverOf(id: string): Promise<ServerAnswer> {
  const { servers } = getCapabilities.answer.parse((await get('/mcp/capabilities')).body);
  const found = servers.find(({ serverId }) => serverId === id);
  if (!found) throw new Error(`no server ${id}`);
  return found;
}

describe('the public calls', () => {
  test('[CAT-1] GET /mcp/info names the product, the link and the protocol versions', async () => {
    const info = getInfo.answer.parse((await get('/mcp/info')).body);
    expect(info).toMatchObject({
      name: 'Souk',
      link: `${app.publicUrl}/mcp`,
      supportEmail: 'help@souk.test',
      serverCount: 3,
    });
    expect(info.protocolVersions).toEqual(expect.arrayContaining(['2026-07-28', '2025-11-25', '2025-06-18']));
  });

  test('[CAT-2] GET /mcp/health returns status, timestamp, server and connections', async () => {
    const health = getHealth.answer.parse((await get('/mcp/health')).body);
    const server = app.catalogue.snapshot().byId.get('weather');
    const total = (server?.tools.length ?? 0) + (server?.prompts.length ?? 0) + (server?.resources.length ?? 0);
    expect(health).toMatchObject({
      status: 'healthy',
      server: { serverCount: 3, totalCapabilities: total },
      connections: { connected: 1 },
      serversDown: 2,
    });
    expect(Math.abs(Date.now() - Date.parse(health.timestamp))).toBeLessThan(60_000);
  });

  test('[CAT-3] the health is initializing until a first server has responded or failed, then healthy, and never anything else', async () => {
    const silent = await listenInSilence();
    const young = await startTestApp({ allowAddresses: [silent.address] });
    const health = async () => (await fetch(`${young.publicUrl}/mcp/health`)).json();
    try {
      expect(await health(), 'without a server there is nothing to wait for').toMatchObject({ status: 'healthy' });
      const url = `http://${silent.address}/mcp`;
      await deployManifest(young, { id: 'silent', connection: { type: 'http', url } }, 'unasked');
      expect(await health()).toMatchObject({ status: 'initializing' });
      await silent.close();
      const server = () => young.catalogue.snapshot().byId.get('silent');
      await waitUntil('the server to have failed', () => server()?.statusDetail !== undefined);
      expect(await health()).toMatchObject({ status: 'healthy' });
    } finally {
      await silent.close();
      await young.stop();
    }
    expect(getHealth.answer.shape.status.options).toEqual(['healthy', 'initializing']);
  });

  test('[CAT-4] [CAT-8] [CAT-11] GET /mcp/capabilities returns servers, capabilities and lastUpdate, without a login', async () => {
    const { servers, capabilities, lastUpdate } = getCapabilities.answer.parse((await get('/mcp/capabilities')).body);
    expect(Date.parse(lastUpdate)).toBeGreaterThan(Date.now() - 120_000);
    expect(capabilities.map(({ serverId }) => serverId)).toContain('weather');
    const weather = servers.find(({ serverId }) => serverId === 'weather');
    expect(weather?.capabilities).toEqual({ tools: 8, prompts: 1, resources: 1 });
  });

  test('[CAT-9] a server has id, name, status, metadata and what to display', async () => {
    expect(await serverOf('paid')).toMatchObject({
      serverId: 'paid',
      serverName: 'Paid',
      status: 'error',
      displayName: 'Paid',
      displayDescription: 'Forecasts for a price',
    });
    expect((await serverOf('paid')).metadata).toEqual({
      category: 'Data Sources',
      description: 'Forecasts for a price',
      version: '2.3.4',
      author: 'Sky Ltd',
      icon: '/oauth/mark.svg',
    });
  });

  test('[CAT-10] the billing of a server has tier, rental with price, currency, name and description, and features', async () => {
    const stripePriceId = expect.stringMatching(/^price_/);
    const priced = async (id: string) => (await serverOf(id)).billing?.rental?.stripePriceId !== undefined;
    await waitUntil('the payment provider to know both', async () => (await priced('paid')) && priced('weather'));
    expect((await serverOf('paid')).billing).toEqual({
      tier: 'T2',
      rental: { price: 1250, currency: 'USD', stripePriceId, name: 'Paid for a month', description: 'Every forecast' },
      features: ['Forecasts', 'Alerts'],
      trialDays: 7,
      plan: { planId: 'pro', name: 'Pro', amount: 1900, currency: 'USD' },
    });
    expect((await serverOf('weather')).billing?.rental, 'our own texts if the manifest has none').toEqual({
      price: 900,
      currency: 'USD',
      stripePriceId,
      name: 'Weather rental',
      description: 'Monthly rental of Weather',
    });
    expect((await serverOf('down')).billing).toBeUndefined();
  });

  test('[CAT-12] the status is connected, error or disconnected, and says why', async () => {
    const { servers } = getCapabilities.answer.parse((await get('/mcp/capabilities')).body);
    expect(servers.find(({ serverId }) => serverId === 'down')).toMatchObject({
      status: 'error',
      statusDetail: "The server's address is not allowed here",
    });
    await app.catalogue.setHealth('down', {
      status: 'disconnected',
      detail: 'The server cannot be reached',
      era: undefined,
    });
    const again = getCapabilities.answer.parse((await get('/mcp/capabilities')).body);
    expect(again.servers.find(({ serverId }) => serverId === 'down')?.status).toBe('disconnected');
  });

  test('security row 32: markup in a name is text, and an icon that is not the address of a picture is dropped', async () => {
    const { servers } = getCapabilities.answer.parse((await get('/mcp/capabilities')).body);
    expect(servers.find(({ serverId }) => serverId === 'weather')?.metadata.icon).toBeUndefined();
    expect(servers.find(({ serverId }) => serverId === 'weather')?.metadata.description).toContain('<img src=x');
  });

  test('[CAT-5] [CAT-13] [CAT-14] GET /mcp/tools returns each tool with its server, texts and cost', async () => {
    const { tools } = getTools.answer.parse((await get('/mcp/tools')).body);
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({
      serverId: 'weather',
      type: 'tool',
      displayName: 'echo',
      description: '',
      displayDescription: '',
      creditCost: 5,
      exposedName: 'weather__echo',
    });
    expect(tools.find(({ name }) => name === 'slow')?.creditCost).toBe(0);
  });

  test('[CAT-6] [CAT-7] [CAT-15] GET /mcp/prompts and /mcp/resources return theirs, resources with their uri', async () => {
    const { prompts } = getPrompts.answer.parse((await get('/mcp/prompts')).body);
    expect(prompts).toEqual([expect.objectContaining({ serverId: 'weather', type: 'prompt', name: 'hello' })]);
    const { resources } = getResources.answer.parse((await get('/mcp/resources')).body);
    expect(resources.length).toBeGreaterThan(0);
    for (const resource of resources)
      expect(resource).toMatchObject({ type: 'resource', uri: expect.stringContaining(':') });
  });

  test('are compressed for clients that accept it, the MCP endpoints never', async () => {
    const lists = await getWithEncoding(`${app.publicUrl}/mcp/capabilities`, 'gzip, br');
    expect(lists.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(getCapabilities.answer.parse(JSON.parse(brotliDecompressSync(lists.body).toString())).servers).toHaveLength(
      3,
    );
    const call = await postModern(`${app.publicUrl}/mcp`, token, 'tools/list', {}, { 'accept-encoding': 'br' });
    expect(call.headers.get('content-encoding')).toBeNull();
    expect(JSON.stringify(call.body).length).toBeGreaterThan(1024);
  });

  test('[GEN-39] are served next to the MCP endpoint, which answers at exactly /mcp', async () => {
    expect((await get('/mcp/nothing')).status).toBe(404);
    expect((await postModern(`${app.publicUrl}/mcp/info`, token, 'tools/list')).status).toBe(404);
    expect((await postModern(`${app.publicUrl}/mcp`, token, 'tools/list')).status).toBe(200);
    for (const path of ['/MCP/refresh', '/mcp//refresh', '/mcp/refresh/', '/mcp/%72efresh/x']) {
      const { status } = await fetch(`${app.publicUrl}${path}`, { method: 'POST' });
      expect(status).toBe(404);
    }
  });
});
