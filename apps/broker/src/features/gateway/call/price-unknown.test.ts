import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';
import {
  approval,
  connectWithForms,
  createPriceTag,
  eras,
  newPerson,
  priceRaised,
  type Priced,
} from './testing/priced-tool.ts';

// The database cannot read, or cannot store, the approval of a user.

let app: TestApp;
let server: EndingServer;
let ann: Priced;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(async () => {
  const price = createPriceTag(app, server.url);
  await price.set(5);
  ann = await newPerson(app);
  await price.set(500);
});

const takeAway = () => app.db.query('alter table price_approvals rename to elsewhere');
const bringBack = () => app.db.query('alter table if exists elsewhere rename to price_approvals');
afterEach(bringBack);

const say = { name: 'paid__say', arguments: { end: 'ok' } };
const unavailable = {
  isError: true,
  content: [
    {
      text: 'This call costs credits, which cannot be charged right now, so it was not sent. Try again in a moment. Nothing was charged.',
    },
  ],
  _meta: { 'souk/code': 'charging_unavailable' },
};
const call = async () => (await postModern(`${app.publicUrl}/mcp`, ann.token, 'tools/call', say)).body.result;

test('a call is not sent while the approval cannot be read', async () => {
  const before = server.requests;
  await takeAway();
  expect(await call()).toMatchObject(unavailable);
  expect(server.requests).toBe(before);
  expect(await ann.log()).toMatchObject([{ outcome: 'refused', reason: 'charging_unavailable', credits: 0 }]);
  await bringBack();
  expect(await call()).toMatchObject(priceRaised(app.publicUrl, 5, 500));
});

test.each(eras)('an approval that cannot be stored does not count: a form of a %s client', async (era) => {
  const { client, shown } = await connectWithForms(`${app.publicUrl}/mcp`, ann.token, era, approval);
  const before = server.requests;
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.asked.push({ ...params });
    await takeAway();
    return approval;
  });
  expect(await client.callTool(say)).toMatchObject(unavailable);
  await bringBack();
  expect(shown.asked).toHaveLength(1);
  expect(server.requests).toBe(before);
  expect(await call()).toMatchObject(priceRaised(app.publicUrl, 5, 500));
  await client.close();
});
