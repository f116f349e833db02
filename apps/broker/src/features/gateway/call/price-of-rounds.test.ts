import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';
import {
  approval,
  connectWithForms,
  createPriceTag,
  newPerson,
  priceRaised,
  ran,
  type Era,
  type Priced,
} from './testing/priced-tool.ts';

// Calls that a price rise does not affect, and actions that approve no price.

let app: TestApp;
let server: EndingServer;
let price: ReturnType<typeof createPriceTag>;
let ann: Priced;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  price = createPriceTag(app, server.url);
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(async () => {
  await price.set(5);
  ann = await newPerson(app);
});

const call = async ({ token } = ann, end = 'ok', over: Record<string, unknown> = {}) => {
  const params = { name: 'paid__say', arguments: { end }, ...over };
  return (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params)).body.result;
};
const raised = (from: number, to: number) => priceRaised(app.publicUrl, from, to);
const approvals = async () =>
  (await app.db.query('select credits, via from price_approvals where user_id = $1 order by credits', [ann.userId]))
    .rows;

test('a call that was interrupted by a question keeps its first price, even if the price has risen since', async () => {
  const first = await call(ann, 'input_required');
  await price.set(500);
  const { requestState } = { requestState: undefined, ...first };
  expect(await call(ann, 'input_required', { requestState })).toMatchObject(ran(5));
  expect(await call()).toMatchObject(raised(5, 500));
  expect(await ann.log()).toMatchObject([
    { outcome: 'ok', credits: 5, rounds: 2 },
    { outcome: 'refused', reason: 'price_raised' },
  ]);
});

test("the answer to a server's question that looks like ours goes to the server, and approves nothing", async () => {
  const { client, shown } = await connectWithForms(`${app.publicUrl}/mcp`, ann.token, 'modern', approval);
  const say = { name: 'paid__say', arguments: { end: 'price_question' } };
  expect(await client.callTool(say)).toMatchObject(ran(5));
  expect(shown.asked).toMatchObject([{ message: 'Is it sunny?' }]);
  expect(await approvals()).toEqual([]);
  await price.set(500);
  shown.answer = { action: 'decline' };
  expect(await client.callTool(say)).toMatchObject(raised(5, 500));
  expect(await approvals()).toEqual([]);
  await client.close();
});

test('a state that was answered for one price approves no other', async () => {
  const { client, shown } = await connectWithForms(`${app.publicUrl}/mcp`, ann.token, 'modern', approval);
  await price.set(500);
  // the price rises while the user reads the form
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.asked.push({ ...params });
    await price.set(600);
    return approval;
  });
  expect(await client.callTool({ name: 'paid__say', arguments: { end: 'ok' } })).toMatchObject(raised(500, 600));
  expect(await approvals()).toEqual([{ credits: 500, via: 'form' }]);
  expect(await ann.balance()).toBe(10_000);
  await client.close();
});

const say = { name: 'paid__say', arguments: { end: 'ok' } };
const page = () => ({
  mode: 'url',
  url: `${app.publicUrl}/prices?server=paid&tool=say`,
  message: 'The price of say rose from 5 to 500 credits. Approve it on this page to use it.',
});
const connectOpener = (era: Era) =>
  connectWithForms(`${app.publicUrl}/mcp`, ann.token, era, { action: 'accept' }, ['url']);

test('a client that can only open pages is requested to open ours, and its call continues', async () => {
  const { client, shown } = await connectOpener('modern');
  await price.set(500);
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.asked.push({ ...params });
    await ann.approve(500);
    return { action: 'accept' };
  });
  expect(await client.callTool(say)).toMatchObject(ran(500));
  expect(shown.asked).toMatchObject([page()]);
  expect(await approvals()).toEqual([{ credits: 500, via: 'page' }]);
  await client.close();
});

test('opening the page approves nothing, and is requested once', async () => {
  const { client, shown } = await connectOpener('modern');
  await price.set(500);
  expect(await client.callTool(say)).toMatchObject(raised(5, 500));
  expect(shown.asked).toMatchObject([page()]);
  expect(await approvals()).toEqual([]);
  await client.close();
});

test('up to 2025-11-25 a client that can only open pages gets the page with an error', async () => {
  const { client } = await connectOpener('legacy');
  await price.set(500);
  await expect(client.callTool(say)).rejects.toMatchObject({ code: -32_042, data: { elicitations: [page()] } });
  await client.close();
});
