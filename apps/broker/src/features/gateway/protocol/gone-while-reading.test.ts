import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../call/testing/ending-server.ts';

// A client that disconnects while the broker reads what its user may use: no later event would notify the call.

let app: TestApp;
let server: EndingServer;
let token: string;
let userId: string;
let reading: PromiseWithResolvers<void> | undefined;
let asked = 0;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [server.address],
    env: withoutHealthChecks,
    billing: {
      entitlement() {
        asked += 1;
        return reading ? reading.promise.then(() => () => true) : () => true;
      },
    },
  });
  const connection = { type: 'http', url: server.url };
  await deployManifest(app, { id: 'paid', connection, billing: { tier: 'T0', toolCosts: { say: 5, mirrored: 5 } } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  userId = await giveCredits(app, 'ann@souk.test', 100);
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

test.each([
  ['on the fast path', 'say', 'application/json'],
  ['through the SDK', 'mirrored', 'application/json'],
  ['past the front', 'say', 'application/json; charset=utf-8'],
])('no call is made for it, and nothing stays held: %s', async (_way, tool, contentType) => {
  const url = `${app.publicUrl}/mcp`;
  await postModern(url, token, 'tools/call', { name: `paid__${tool}`, arguments: { end: 'ok' } });
  const before = server.requests;
  const wait = (reading = Promise.withResolvers<void>());
  const askedBefore = asked;
  const { body, headers, ...request } = modernRequest(token, 'tools/call', {
    name: `paid__${tool}`,
    arguments: { end: 'hang' },
  });
  const client = new AbortController();
  const sent = fetch(url, {
    ...request,
    body,
    headers: { ...headers, 'content-type': contentType },
    signal: client.signal,
  }).catch(() => undefined);
  await waitUntil('it is read', () => asked > askedBefore);
  client.abort();
  await sent;
  // another request of this process is answered after the end of that connection was noticed
  await fetch(`${app.publicUrl}/healthz`);
  reading = undefined;
  wait.resolve();
  await postModern(url, token, 'tools/call', { name: `paid__${tool}`, arguments: { end: 'ok' } });
  expect([server.requests, server.hanging]).toEqual([before + 1, 0]);
  await waitUntil('no credits are held', async () => (await app.billing.ledger.account(userId)).held === 0);
});
