import { listCalls } from '@souk/contract/usage.ts';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// A client that disconnects after the hold and before the server received the call has caused no work: this does not
// count towards the five aborts per hour (docs/decisions/0035).

const price = 5;
const given = 100;
/** Maximum number of sockets to one server (platform/http/outgoing/guarded-fetch.ts). */
const sockets = 128;
/** A tool for the fast path, and one for the SDK's client. */
const tools = ['say', 'mirrored'] as const;

let app: TestApp;
let server: EndingServer;
let token: string;
let userId: string;
beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [server.address],
    env: {
      ...withoutHealthChecks,
      MCP_CALLS_PER_MINUTE_USER: '100000',
      MCP_CALLS_PER_MINUTE_TOKEN: '100000',
      MCP_IN_FLIGHT_USER: '1000',
    },
  });
  const connection = { type: 'http', url: server.url };
  const billing = { tier: 'T0', toolCosts: { say: price, mirrored: price } };
  const deadlines = { connectMs: 30_000, callMs: 300_000 };
  await deployManifest(app, { id: 'own', connection, billing, isolation: 'perUser', deadlines });
  await deployManifest(app, { id: 'shared', connection, billing, maxInFlight: 2 * sockets, deadlines });
  await deployManifest(app, { id: 'gratis', connection });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(async () => ({ token, userId } = await newPerson(given)));
afterEach(() => {
  server.welcome();
  vi.restoreAllMocks();
});

async function newPerson(credits: number) {
  const email = `${randomUUID()}@souk.test`;
  const made = await app.identity.createPersonalToken({ email, name: 'test' });
  return { token: made.token, userId: await giveCredits(app, email, credits) };
}

function send(tool: string, end: string, { signal, bearer = token }: { signal: AbortSignal; bearer?: string }) {
  const request = modernRequest(bearer, 'tools/call', { name: tool, arguments: { end } });
  return fetch(`${app.publicUrl}/mcp`, { ...request, signal }).catch(() => undefined);
}

/** Starts a call. @returns a function that disconnects its client and resolves when the broker has noticed */
function begin(tool: string) {
  const closed = Promise.withResolvers<void>();
  const watch = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    // the server of the tool, which also runs in this process, never receives this token
    if (request.headers.authorization !== `Bearer ${token}`) return;
    unsubscribe('http.server.request.start', watch);
    response.once('close', () => closed.resolve());
  };
  subscribe('http.server.request.start', watch);
  const client = new AbortController();
  const sent = send(tool, 'ok', client);
  return async () => {
    client.abort();
    await Promise.all([sent, closed.promise]);
  };
}
const held = async () => (await app.billing.ledger.account(userId)).held;

async function expectUncounted() {
  const logged = async () => {
    await Promise.all([app.billing.ledger.flush(), app.usage.flush()]);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${app.publicUrl}/api/users/${userId}/calls`, { headers });
    const { calls } = listCalls.answer.parse(await answer.json());
    return calls.filter(({ serverId }) => serverId !== 'gratis');
  };
  await waitUntil('it is in the log', async () => (await logged()).length > 0);
  expect(await logged()).toMatchObject([{ outcome: 'cancelled', reason: 'not_dispatched', credits: 0 }]);
  const { rows } = await app.db.query('select from credit_free_aborts where user_id = $1', [userId]);
  expect(rows).toEqual([]);
  await waitUntil('no credits are held', async () => (await held()) === 0);
  expect((await app.billing.ledger.account(userId)).balance).toBe(given);
  expect(await checkLedger(app.db)).toEqual([]);
}

test.each(tools.flatMap((tool) => [[tool, 'welcome'] as const, [tool, 'turnAway'] as const]))(
  'a call that is aborted while it waits for a connection does not count towards the five: %s, %s',
  async (tool, end) => {
    const before = server.requests;
    server.holdBack();
    const hangUp = begin(`own__${tool}`);
    await waitUntil('it waits for its connection', () => server.heldBack > 0);
    expect(await held()).toBe(price);
    await hangUp();
    server[end]();
    await expectUncounted();
    expect(server.requests, 'nothing was sent').toBe(before);
  },
);

test.each(tools)(
  'a call that is aborted while its price is being held does not count towards the five: %s',
  async (tool) => {
    const before = server.requests;
    const { hold } = app.billing.charges;
    const [isHeld, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.spyOn(app.billing.charges, 'hold').mockImplementation(async (call) => {
      const taken = await hold(call);
      isHeld.resolve();
      // the gateway notices when the client has disconnected
      await heard.promise;
      return taken;
    });
    const hangUp = begin(`shared__${tool}`);
    await isHeld.promise;
    await hangUp();
    heard.resolve();
    await expectUncounted();
    expect(server.requests, 'nothing was sent').toBe(before);
  },
);

test('a call that is aborted while it waits for a socket does not count towards the five', async () => {
  const crowd = await newPerson(2 * sockets * price);
  const before = server.requests;
  const client = new AbortController();
  onTestFinished(async () => {
    client.abort();
    await Promise.all(calls);
  });
  const crowded = { signal: client.signal, bearer: crowd.token };
  const calls = Array.from({ length: sockets }, () => send('shared__say', 'hang', crowded));
  await waitUntil('all sockets are in use', () => server.hanging === sockets);
  const hangUp = begin('shared__say');
  await waitUntil('its price is held', async () => (await held()) === price);
  await hangUp();
  await expectUncounted();
  expect(server.requests, 'nothing was sent').toBe(before + sockets);
});
