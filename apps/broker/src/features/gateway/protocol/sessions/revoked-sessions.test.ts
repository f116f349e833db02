import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession } from '#testing/people/open-session.ts';
import { revokeToken } from '#testing/people/revoke-token.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

const email = 'ann@souk.test';
let app: TestApp;
let fixture: HttpFixture;
let web = '';

beforeAll(async () => {
  fixture = await startHttpFixture('legacy');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'old', connection: { type: 'http', url: fixture.url } });
  ({ accessToken: web } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email }));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const link = () => `${app.publicUrl}/mcp`;
const slowCall = (meta: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'old__slow', arguments: { steps: 3, everyMs: 300 }, _meta: meta },
  });

test.each([
  ['on the fast path', {}, {}],
  ['handed over by the fast path after the revocation', {}, { progressToken: 'p' }],
  ['through the SDK', { roots: {} }, {}],
])(
  'a call that runs in a session finishes when its token is revoked, and nothing else is served: %s',
  async (_way, capabilities, meta) => {
    const own = await app.identity.createPersonalToken({ email, name: 'to be revoked' });
    const before = app.gateway.sessionCount();
    const session = await openSession(link(), own.token, { revision: '2025-11-25', capabilities });
    const arrived = fixture.seen.requests.length;
    const running = postRaw(link(), slowCall(meta), session);
    await waitUntil('the call to arrive', () => fixture.seen.requests.length > arrived);

    await revokeToken(app.publicUrl, web, own.id);
    expect((await postRaw(link(), JSON.stringify({ jsonrpc: '2.0', id: 8, method: 'ping' }), session)).status).toBe(
      401,
    );
    expect((await postModern(link(), own.token, 'tools/list')).status).toBe(401);

    expect((await running).text).toContain('"text":"done"');
    // the session ends with its last call
    await waitUntil('the session to end', () => app.gateway.sessionCount() === before);
  },
);
