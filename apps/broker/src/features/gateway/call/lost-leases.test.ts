import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/grant-credits.ts';
import { postModern, postRaw } from '#testing/mcp-clients.ts';
import { openSession } from '#testing/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// Calls whose credits the others took back while they ran: they cannot be charged, and their answers say so.

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

/** What other brokers do to one without a sign of life. Resolves when this one has found it out, and begun again. */
async function takeLeasesBack(): Promise<void> {
  await app.db.query('delete from credit_brokers');
  await waitUntil('the broker has a new id', async () => {
    const { rows } = await app.db.query('select from credit_brokers');
    return rows.length > 0;
  });
}

test.each([
  ['modern', 'say', 'wait'],
  ['modern', 'mirrored', 'wait'],
  ['legacy', 'say', 'wait'],
  ['modern', 'say', 'wait_tool_error'],
] as const)(
  'a call whose lease was lost says that nothing was charged, and nothing is: a %s client, %s, %s',
  async (era, tool, end) => {
    const email = `${randomUUID()}@souk.test`;
    const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
    const userId = await giveCredits(app, email, given);
    const url = `${app.publicUrl}/mcp`;
    const params = { name: `paid__${tool}`, arguments: { end } };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const session = era === 'legacy' ? await openSession(url, token) : undefined;
    const call = () => (session ? postRaw(url, message, session) : postModern(url, token, 'tools/call', params));
    const lost = call();
    await waitUntil('it is at the server', () => server.waiting === 1);
    await takeLeasesBack();
    server.answerWaiting();
    expect((await lost).body.result).toMatchObject({ content: [{ text: 'done' }], _meta: { 'souk/charged': 0 } });

    const next = call();
    await waitUntil('the next is at the server', () => server.waiting === 1);
    server.answerWaiting();
    expect((await next).body.result).toMatchObject({
      _meta: { 'souk/charged': price, 'souk/available': given - price },
    });
    const rows = (await usageRows(app, userId)).map(({ reason, credits }) => ({ reason, credits }));
    const reason = end === 'wait' ? null : 'tool_error';
    expect(rows).toEqual([
      { reason: 'lease_lost', credits: 0 },
      { reason, credits: price },
    ]);
    expect((await app.billing.ledger.account(userId)).balance).toBe(given - price);
    await waitUntil('the ledger adds up', async () => (await checkLedger(app.db)).length === 0);
  },
);
