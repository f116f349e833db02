import { randomBytes } from 'node:crypto';
import { maxToolRuns } from '@souk/contract/tool-runs.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEndingServer, type EndingServer } from '../features/gateway/call/testing/ending-server.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { freePort } from '#testing/network/free-port.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startBalancer } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';

// docs/limits.md: the limits of one user over three brokers

const price = 3;
const begunAtMs = Date.now();
/** Hardly advances: what refills in a minute does not count, however slow the machine is. */
const clock = { now: () => begunAtMs + Math.floor((Date.now() - begunAtMs) / 100) };
/** Whole limits; a broker's share of each is a third. */
const [calls, requests, places, signIns, pagesOfPayment] = [30, 24, 6, 9, 30];

// the last test stops one of them
describe.skipIf(!hasPostgres())('three brokers', { shuffle: false }, () => {
  let server: EndingServer;
  let balancer: Awaited<ReturnType<typeof startBalancer>>;
  const apps: TestApp[] = [];
  const link = () => `${balancer.publicUrl}/mcp`;

  beforeAll(async () => {
    server = await startEndingServer('modern');
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    balancer = await startBalancer(ports);
    const databaseUrl = await createPostgresDatabase();
    const env = {
      ...withoutHealthChecks,
      PUBLIC_URL: balancer.publicUrl,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      MCP_CALLS_PER_MINUTE_TOKEN: String(calls),
      MCP_REQUESTS_PER_MINUTE_TOKEN: String(requests),
      MCP_IN_FLIGHT_USER: String(places),
      SIGN_IN_PER_MINUTE: String(signIns),
    };
    for (const port of ports) {
      const db = await connectPatiently(databaseUrl);
      apps.push(
        await startTestApp({ db, clock, allowAddresses: [server.address], env: { ...env, PORT: String(port) } }),
      );
    }
    const billing = { tier: 'T0', toolCosts: { say: price } };
    await deployManifest(at(0), {
      id: 'paid',
      connection: { type: 'http', url: server.url },
      billing,
      maxInFlight: 256,
    });
    await untilKnown(3);
    await waitUntil('all to offer it', () => apps.every(({ catalogue }) => catalogue.snapshot().byId.has('paid')));
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await balancer?.close();
    await server?.close();
  });

  function at(broker: number): TestApp {
    const app = apps[broker];
    if (!app) throw new Error(`there is no broker ${broker}`);
    return app;
  }
  const untilKnown = (count: number) =>
    waitUntil(`each to know of ${count}`, () => apps.slice(0, count).every(({ db }) => db.brokers.count() === count));

  let people = 0;
  /** Number of sign-ins from the address of all tests. */
  let signedIn = 0;
  async function newPerson() {
    const email = `person-${(people += 1)}@souk.test`;
    const { token } = await at(0).identity.createPersonalToken({ email, name: 'test' });
    return { token, userId: await giveCredits(at(0), email, 1_000) };
  }

  /** Sends this many sequential requests, to each broker in turn or to one. @returns how many were not refused */
  async function taken(count: number, send: (to: { 'x-broker': string }) => Promise<boolean>, one?: number) {
    let good = 0;
    for (let n = 0; n < count; n += 1) if (await send({ 'x-broker': String(one ?? n % 3) })) good += 1;
    return good;
  }
  async function post(token: string, method: string, params: object, to: { 'x-broker': string }) {
    const { headers, ...request } = modernRequest(token, method, { ...params });
    const response = await fetch(link(), { ...request, headers: { ...headers, ...to } });
    const body: { result?: { _meta?: Record<string, unknown> } } = JSON.parse(await response.text());
    return { status: response.status, code: body.result?._meta?.['souk/code'] };
  }
  const say =
    (token: string, end = 'ok') =>
    async (to: { 'x-broker': string }) => {
      const { code } = await post(token, 'tools/call', { name: 'paid__say', arguments: { end } }, to);
      return code === undefined;
    };
  /** At most one broker's share above the limit, including what was refilled meanwhile. */
  const about = (limit: number) => (found: number) => found >= limit && found <= limit + limit / 3;

  test('calls and requests a minute are limited as on one broker, and a client that stays at one gets its share', async () => {
    expect(await taken(60, say((await newPerson()).token))).toSatisfy(about(calls));
    expect(await taken(40, say((await newPerson()).token), 1)).toSatisfy(about(calls / 3));
    const { token } = await newPerson();
    const list = async (to: { 'x-broker': string }) => (await post(token, 'tools/list', {}, to)).status === 200;
    expect(await taken(45, list)).toSatisfy(about(requests));
  });

  test('slots for concurrent calls are limited as on one broker', async () => {
    const { token } = await newPerson();
    const asked = Array.from({ length: 12 }, (_, n) => say(token, 'wait')({ 'x-broker': String(n % 3) }));
    await waitUntil('all slots to be in use', () => server.waiting === places);
    // the others wait for two seconds, and are refused
    const answers: boolean[] = [];
    for (const call of asked) void call.then((isResult) => answers.push(isResult)).catch(() => {}); // reported below
    await waitUntil('the others to be refused', () => answers.length === asked.length - places);
    expect(answers).not.toContain(true);
    expect(server.waiting).toBe(places);
    server.answerWaiting();
    expect((await Promise.all(asked)).filter((isResult) => isResult)).toHaveLength(places);
  });

  test('payment pages that a user opens, and tools that they run from the web app, are limited as on one broker', async () => {
    const email = 'buys@souk.test';
    const browser = new ScriptedBrowser(balancer.publicUrl);
    const { accessToken } = await browser.signInWeb({ email });
    signedIn++;
    const send = (path: string, body: object, to: { 'x-broker': string }) =>
      browser.request(path, {
        method: 'POST',
        headers: {
          ...to,
          authorization: `Bearer ${accessToken}`,
          origin: balancer.publicUrl,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const pay = async (to: { 'x-broker': string }) => {
      const answer = await send('/api/billing/checkout', { type: 'credit', planId: 'credits-500' }, to);
      await answer.text();
      return answer.status === 200;
    };
    expect(await taken(45, pay)).toSatisfy(about(pagesOfPayment));

    await giveCredits(at(0), email, 1_000);
    const run = { serverId: 'paid', tool: 'say', arguments: { end: 'wait' } };
    const runs = [];
    for (let n = 0; n < 12; n++) {
      const answer = await send('/api/tool-runs', run, { 'x-broker': String(n % 3) });
      runs.push({ isTaken: answer.status === 200, text: answer.text() });
    }
    const begun = runs.filter(({ isTaken }) => isTaken);
    // two of each: a share is rounded up
    expect(begun).toHaveLength(3 * Math.ceil(maxToolRuns / 3));
    await waitUntil('all to wait', () => server.waiting === begun.length);
    server.answerWaiting();
    for (const { text } of begun) expect(await text).toContain('"result"');
  });

  test('sign-ins of an address are limited as on one broker', async () => {
    const start = async (to: { 'x-broker': string }) => {
      const address = `${balancer.publicUrl}/auth/google?return_to=/auth/success`;
      const { status } = await fetch(address, { redirect: 'manual', headers: to });
      expect([303, 429]).toContain(status);
      return status === 303;
    };
    expect(signedIn + (await taken(24, start))).toSatisfy(about(signIns));
  });

  test("the spending limit of a user's calls is exact, whichever brokers they reach", async () => {
    const { token, userId } = await newPerson();
    await at(0).billing.ledger.setMonthlyCap(userId, 5 * price);
    expect(await taken(12, say(token))).toBe(5);
    await Promise.all(apps.map(({ billing }) => billing.ledger.flush()));
    expect(await at(0).billing.ledger.account(userId)).toMatchObject({ balance: 1_000 - 5 * price });
  });

  test('the others allow more when one has stopped', async () => {
    const gone = apps.pop();
    await gone?.stop();
    await untilKnown(2);
    expect(await taken(40, say((await newPerson()).token), 1)).toSatisfy(about(calls / 2));
  });
});
