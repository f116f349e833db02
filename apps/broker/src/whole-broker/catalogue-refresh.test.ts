import { refreshServers } from '@souk/contract/catalogue/catalogue.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let fixture: HttpFixture;
let aheadMs = 0;
const begunAtMs = Date.now();
/** A clock that the tests move: the machine's own time hardly counts. */
const clock = { now: () => begunAtMs + Math.floor((Date.now() - begunAtMs) / 100) + aheadMs };
const tokens = { web: '', personal: '', client: '' };

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], clock, env: withoutHealthChecks });
  await deployManifest(app, { id: 'weather', connection: { type: 'http', url: fixture.url } });
  tokens.personal = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
  tokens.web = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' })).accessToken;
  const client = await new ScriptedBrowser(app.publicUrl).signInMcpClient({ email: 'ann@souk.test' });
  tokens.client = client.accessToken;
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

describe('POST /mcp/refresh', () => {
  const refresh = async (token?: string): Promise<{ status: number; refreshed: string[] | undefined }> => {
    const response = await fetch(`${app.publicUrl}/mcp/refresh`, {
      method: 'POST',
      headers: token ? { authorization: `Bearer ${token}` } : {},
    });
    const answer = refreshServers.answer.safeParse(await response.json());
    return { status: response.status, refreshed: answer.data?.refreshed };
  };
  const listed = () => fixture.seen.requests.filter(({ method }) => method === 'tools/list').length;
  /** Moves the clock on, so that a server may be queried again. */
  const waitOut = () => (aheadMs += 10_100);
  const discoveredAtMs = () => app.catalogue.snapshot().byId.get('weather')?.discoveredAtMs ?? 0;
  const lastAskedAgo = () => clock.now() - discoveredAtMs();

  test('[CAT-19] [TOK-14] by a visitor reads again and contacts no upstream', async () => {
    waitOut();
    const before = listed();
    expect(await refresh()).toEqual({ status: 200, refreshed: [] });
    expect(listed()).toBe(before);
  });

  test('[TOK-12] by an MCP client is refused', async () => {
    expect((await refresh(tokens.client)).status).toBe(401);
  });

  test('[TOK-13] with a personal token re-reads only the list and queries no server', async () => {
    waitOut();
    const before = listed();
    expect(await refresh(tokens.personal)).toEqual({ status: 200, refreshed: [] });
    expect(listed()).toBe(before);
  });

  test('[CAT-16] [CAT-17] [TOK-11] by a signed-in user queries the servers, once for all concurrent requests', async () => {
    waitOut();
    const before = listed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(tokens.web)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers.filter(({ refreshed }) => refreshed?.includes('weather'))).toHaveLength(1);
    await waitUntil('the server to be queried', () => lastAskedAgo() < 5000);
    expect((await refresh(tokens.web)).refreshed).not.toContain('weather');
    expect(listed()).toBe(before + 1);
  });

  test('[CAT-18] queries a server again after 10 seconds, and not before', async () => {
    waitOut();
    const before = listed();
    const askedAtMs = clock.now();
    expect((await refresh(tokens.web)).refreshed).toContain('weather');
    await waitUntil('the server to be queried', () => discoveredAtMs() >= askedAtMs);
    aheadMs += askedAtMs + 9_900 - clock.now();
    expect((await refresh(tokens.web)).refreshed).not.toContain('weather');
    expect(listed()).toBe(before + 1);
    aheadMs += 1_000;
    const againAtMs = clock.now();
    expect((await refresh(tokens.web)).refreshed).toContain('weather');
    await waitUntil('the server to be queried again', () => discoveredAtMs() >= againAtMs);
    expect(listed()).toBe(before + 2);
  });

  test("with an invalid token is refused rather than treated as a visitor's", async () => {
    expect((await refresh('nonsense')).status).toBe(401);
  });
});
