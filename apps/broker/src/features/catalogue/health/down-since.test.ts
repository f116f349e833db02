import { getServer } from '@souk/contract/catalogue/catalogue-search.ts';
import { createClient } from '@souk/contract/client.ts';
import { expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp } from '#testing/start-app.ts';
import { startTcpProxy } from '#testing/network/tcp-proxy.ts';
import { waitUntil } from '#testing/wait-until.ts';

test('a server that becomes unreachable says since when it is down and why, and no longer once it is back', async () => {
  const fixture = await startHttpFixture('both');
  const { hostname: host, port } = new URL(fixture.url);
  const way = await startTcpProxy({ host, port: Number(port) });
  const app = await startTestApp({
    allowAddresses: [`127.0.0.1:${way.port}`],
    env: { HEALTH_INTERVAL_MS: '100' },
  });
  try {
    await deployManifest(app, { id: 'weak', connection: { type: 'http', url: `http://127.0.0.1:${way.port}/mcp` } });
    const api = createClient([getServer] as const, { baseUrl: app.publicUrl, fetch });
    const read = async () => (await api.getServer({ params: { serverId: 'weak' } })).server;
    expect((await read()).downSince).toBeUndefined();
    const before = Date.now();
    await way.stop();
    await waitUntil('it to be down', async () => (await read()).downSince !== undefined);
    const { downSince = '', statusDetail, status } = await read();
    expect(status).not.toBe('connected');
    expect(statusDetail).not.toBe('');
    expect(Date.parse(downSince)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(downSince)).toBeLessThanOrEqual(Date.now());
    await way.resume();
    await waitUntil('it to be back', async () => (await read()).status === 'connected');
    expect((await read()).downSince).toBeUndefined();
  } finally {
    await app.stop();
    await way.close();
    await fixture.close();
  }
});
