import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession } from '#testing/people/open-session.ts';
import { openStream, type OpenStream } from '#testing/people/open-stream.ts';
import { revokeToken } from '#testing/people/revoke-token.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

const dayMs = 24 * 60 * 60_000;
const email = 'ann@souk.test';
let nowMs = Date.now();
let app: TestApp;
let fixture: HttpFixture;
let web = '';

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], clock: { now: () => nowMs } });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  ({ accessToken: web } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email }));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const link = () => `${app.publicUrl}/mcp`;

function listen(token: string): Promise<OpenStream> {
  const method = 'subscriptions/listen';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  return openStream(link(), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

async function getOfSession(token: string): Promise<OpenStream> {
  return openStream(link(), { headers: { accept: 'text/event-stream', ...(await openSession(link(), token)) } });
}

describe.each([
  ['subscriptions/listen of a modern client', listen],
  ['GET of a session', getOfSession],
] as const)('a long-lived stream: %s', (_what, open) => {
  test('ends when its token is revoked, and other streams stay open', async () => {
    const revoked = await app.identity.createPersonalToken({ email, name: 'to be revoked' });
    const kept = await app.identity.createPersonalToken({ email, name: 'kept' });
    const [mine, other] = [await open(revoked.token), await open(kept.token)];
    expect([mine.status, other.status]).toEqual([200, 200]);
    await revokeToken(app.publicUrl, web, revoked.id);
    await waitUntil('the stream to end', mine.isOver);
    expect((await postModern(link(), kept.token, 'tools/list')).status).toBe(200);
    expect(other.isOver()).toBe(false);
    other.abort();
  });

  test('ends when its token expires', async () => {
    const created = await app.identity.createPersonalToken({ email, name: 'a day', expiresInDays: 1 });
    const startedAtMs = nowMs;
    try {
      nowMs = startedAtMs + dayMs - 100;
      const stream = await open(created.token);
      expect(stream.status).toBe(200);
      expect((await postModern(link(), created.token, 'tools/list')).status).toBe(200);
      expect(stream.isOver()).toBe(false);
      nowMs += 200;
      await waitUntil('the stream to end', stream.isOver);
    } finally {
      nowMs = startedAtMs;
    }
  });

  test('sends a keepalive every 15 s, so that no proxy closes it', async () => {
    const { token } = await app.identity.createPersonalToken({ email, name: 'patient' });
    // fakes only this stream's interval: timers that the product started before stay real
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const stream = await open(token);
      expect(stream.status).toBe(200);
      expect(stream.text()).not.toContain('keepalive');
      // the interval may begin after the head of the response
      await waitUntil('a keepalive', () => {
        vi.advanceTimersByTime(15_000);
        return stream.text().includes(': keepalive');
      });
      stream.abort();
    } finally {
      vi.useRealTimers();
    }
  });
});
