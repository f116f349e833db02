import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectLegacy } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../call/testing/ending-server.ts';
import { createPriceTag, newPerson, priceRaised, ran } from '../call/testing/priced-tool.ts';

/** Time at which the broker's clock is stopped while it is set, so that an announced day has not come yet. */
let stoppedAtMs: number | undefined;
const nowMs = () => stoppedAtMs ?? Date.now();
let app: TestApp;
let server: EndingServer;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks, clock: { now: nowMs } });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

test('an announced price is in the description until its day, and needs approval from then on', async () => {
  const price = createPriceTag(app, server.url);
  await price.set(5);
  const ann = await newPerson(app);
  const client = await connectLegacy(`${app.publicUrl}/mcp`, ann.token);
  const changedAtMs: number[] = [];
  client.onNotice((method) => method === 'notifications/tools/list_changed' && changedAtMs.push(nowMs()));
  const say = { name: 'paid__say', arguments: { end: 'ok' } };
  const listed = async () => (await client.listTools()).tools.find(({ name }) => name === say.name);
  const found = async () => {
    const { structuredContent } = await client.callTool({ name: 'find_tools', arguments: { query: 'say' } });
    const { tools }: { tools: { name: string; description: string }[] } = Object(structuredContent);
    return tools.find(({ name }) => name === say.name)?.description;
  };
  expect(await listed()).toMatchObject({ _meta: { 'souk/creditCost': 5 } });
  expect(await listed()).not.toHaveProperty('description');

  stoppedAtMs = Date.now();
  const from = new Date(stoppedAtMs + 1_000);
  await price.set(5, { announcedPrices: { say: { credits: 500, from: from.toISOString() } } });
  const date = from.toISOString().slice(0, 16).replace('T', ' ');
  const announced = `From ${date} UTC on a call costs 500 credits instead of 5.`;
  // the client keeps a list until it is notified of a change
  await waitUntil('the announcement', async () => (await listed())?.description === announced);
  expect(await listed()).toMatchObject({ _meta: { 'souk/creditCost': 5 } });
  expect(await found()).toBe(announced);
  expect(await client.callTool(say)).toMatchObject(ran(5));
  const coming = { serverId: 'paid', tool: 'say', credits: 5, comingCredits: 500, from: from.toISOString() };
  await ann.log();
  expect(await ann.rises()).toMatchObject({ rises: [], coming: [coming] });

  stoppedAtMs = undefined;
  await waitUntil('clients to be notified of the new price', () => changedAtMs.some((ms) => ms >= from.getTime()));
  await waitUntil('the price', async () => (await listed())?._meta?.['souk/creditCost'] === 500);
  expect(await listed()).not.toHaveProperty('description');
  expect(await client.callTool(say)).toMatchObject(priceRaised(app.publicUrl, 5, 500));
  const raisedAt = from.toISOString();
  expect(await ann.rises()).toMatchObject({ rises: [{ oldCredits: 5, newCredits: 500, raisedAt }], coming: [] });
  // a user who came after the day is not asked
  const late = await connectLegacy(`${app.publicUrl}/mcp`, (await newPerson(app)).token);
  expect(await late.callTool(say)).toMatchObject(ran(500));
  await late.close();
  await client.close();
});
