import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// Calls whose credits other brokers reclaimed while they ran: they cannot be charged, and their results say so.

const price = 5;
const given = 100;
let app: TestApp;
let server: EndingServer;
beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  const billing = { tier: 'T0', toolCosts: { say: price, mirrored: price }, chargeOnErrors: true };
  await deployManifest(app, { id: 'paid', connection: { type: 'http', url: server.url }, billing });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

/**
 * Reclaims the leases as other brokers do without a heartbeat. Resolves when this broker has noticed it and has a new
 * id.
 */
async function takeLeasesBack(): Promise<void> {
  await app.db.query('delete from credit_brokers');
  await waitUntil('the broker has a new id', async () => {
    const { rows } = await app.db.query('select from credit_brokers');
    return rows.length > 0;
  });
}

const kinds = [
  { era: 'modern', tool: 'say', end: 'wait' },
  { era: 'modern', tool: 'mirrored', end: 'wait' },
  { era: 'legacy', tool: 'say', end: 'wait' },
  { era: 'modern', tool: 'say', end: 'wait_tool_error' },
] as const;

/** Connects a separate user for each kind of call. */
async function connect({ era, tool, end }: (typeof kinds)[number]) {
  const email = `${randomUUID()}@souk.test`;
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  const userId = await giveCredits(app, email, given);
  const url = `${app.publicUrl}/mcp`;
  const params = { name: `paid__${tool}`, arguments: { end } };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const session = era === 'legacy' ? await openSession(url, token) : undefined;
  const call = () => (session ? postRaw(url, message, session) : postModern(url, token, 'tools/call', params));
  return { what: `${era}, ${tool}, ${end}`, userId, call, reason: end === 'wait' ? null : 'tool_error' };
}

test('calls whose leases were lost say that nothing was charged, and nothing is: in each era, on each path, with a result or an error', async () => {
  const people = await Promise.all(kinds.map(connect));
  const lost = people.map(({ call }) => call());
  await waitUntil('they are at the server', () => server.waiting === people.length);
  await takeLeasesBack();
  server.answerWaiting();
  for (const [index, { what }] of people.entries()) {
    const free = { content: [{ text: 'done' }], _meta: { 'souk/charged': 0 } };
    expect((await lost[index])?.body.result, what).toMatchObject(free);
  }

  const next = people.map(({ call }) => call());
  await waitUntil('the next are at the server', () => server.waiting === people.length);
  server.answerWaiting();
  for (const [index, { what, userId, reason }] of people.entries()) {
    const charged = { _meta: { 'souk/charged': price, 'souk/available': given - price } };
    expect((await next[index])?.body.result, what).toMatchObject(charged);
    const rows = await usageRows(app, userId);
    expect(
      rows.map((row) => [row.reason, row.credits]),
      what,
    ).toEqual([
      ['lease_lost', 0],
      [reason, price],
    ]);
    expect((await app.billing.ledger.account(userId)).balance, what).toBe(given - price);
  }
  await waitUntil('the ledger adds up', async () => (await checkLedger(app.db)).length === 0);
});
