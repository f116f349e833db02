import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// A client that sends the second round of one call again and again, and disconnects each time while the server works.

const price = 5;
const given = 100;
let app: TestApp;
let server: EndingServer;
beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  const connection = { type: 'http', url: server.url };
  const toolCosts = { say: price, mirrored: price };
  await deployManifest(app, { id: 'paid', connection, billing: { tier: 'T0', toolCosts } });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

test.each(['say', 'mirrored'])(
  'a requestState cannot be used for free work: each disconnect is an abort, five are free, and then the call is charged: %s',
  async (tool) => {
    const email = `${randomUUID()}@souk.test`;
    const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
    const userId = await giveCredits(app, email, given);
    const call = { name: `paid__${tool}`, arguments: { end: 'ask_and_hang' } };
    const { result } = (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', call)).body;
    const again = { ...call, requestState: result?.['requestState'] };
    const before = server.requests;

    /** @returns the result, if it came before the client disconnected */
    async function hangUp(): Promise<unknown> {
      const client = new AbortController();
      const atServer = server.requests;
      const { body, ...request } = modernRequest(token, 'tools/call', again);
      let answer: unknown;
      const sent = fetch(`${app.publicUrl}/mcp`, { ...request, body, signal: client.signal })
        .then(async (response) => (answer = await response.json()))
        .catch(() => undefined);
      await waitUntil('it is at the server, or answered', () => server.requests > atServer || answer !== undefined);
      client.abort();
      await sent;
      await waitUntil('the server is free again', () => server.hanging === 0);
      await app.billing.ledger.flush();
      return answer;
    }
    const answers: unknown[] = [];
    for (let count = 0; count < 25; count++) answers.push(await hangUp());

    expect(server.requests - before).toBe(6);
    const refused = { result: { isError: true, _meta: { 'souk/code': 'already_charged' } } };
    expect(answers.slice(6)).toMatchObject(Array.from({ length: 19 }, () => refused));
    const { balance, held } = await app.billing.ledger.account(userId);
    expect({ balance, held }).toEqual({ balance: given - price, held: 0 });
    expect(await checkLedger(app.db)).toEqual([]);
    const rows = await usageRows(app, userId);
    const count = (reason: string) => rows.filter((row) => row.reason === reason).length;
    expect([count('cancelled'), count('aborts_used_up'), count('already_charged')]).toEqual([5, 1, 19]);
    expect(rows.reduce((sum, { credits }) => sum + credits, 0)).toBe(price);
  },
);
