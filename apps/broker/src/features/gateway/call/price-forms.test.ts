import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../../migrations.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';
import {
  approval,
  connectWithForms,
  createPriceTag,
  eras,
  newPerson,
  priceRaised,
  ran,
  type FormAnswer,
  type Priced,
} from './testing/priced-tool.ts';

// A raised price, approved in a form of the client (elicitation).

describeOnEmbedded('a form about a raised price', migrations, (open) => {
  let app: TestApp;
  let server: EndingServer;
  let price: ReturnType<typeof createPriceTag>;
  let ann: Priced;

  beforeAll(async () => {
    server = await startEndingServer('modern');
    app = await startTestApp({ db: await open(), allowAddresses: [server.address], env: withoutHealthChecks });
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

  const say = { name: 'paid__say', arguments: { end: 'ok' } };

  describe.each(eras)('of a client of the %s era', (era) => {
    const connect = (answer: FormAnswer, path = '/mcp') =>
      connectWithForms(app.publicUrl + path, ann.token, era, answer);

    test('names the tool, both prices and the time; an approved call runs, and the approval is requested once', async () => {
      const { client, shown } = await connect(approval);
      expect(await client.callTool(say)).toMatchObject(ran(5));
      expect(shown.asked).toEqual([]);
      await price.set(500);
      const raisedAt = app.catalogue.snapshot().byId.get('paid')?.tools[0]?.price.raisedAtMs ?? 0;
      const at = new Date(raisedAt).toISOString().slice(0, 16).replace('T', ' ');
      expect(await client.callTool(say)).toMatchObject(ran(500));
      expect(shown.asked).toMatchObject([
        {
          message: `The price of say rose from 5 to 500 credits a call at paid (${at} UTC). The call runs once you approve the new price, which then applies to later calls too.`,
          requestedSchema: {
            type: 'object',
            properties: {
              approve: { type: 'boolean', title: 'Pay 500 credits a call from now on', default: false },
            },
            required: ['approve'],
          },
        },
      ]);
      expect(await client.callTool(say)).toMatchObject(ran(500));
      expect(shown.asked).toHaveLength(1);
      expect(await ann.balance()).toBe(10_000 - 5 - 500 - 500);
      expect(await ann.log()).toMatchObject([
        { outcome: 'ok', credits: 5, rounds: 1 },
        { outcome: 'ok', reason: null, credits: 500, rounds: 2 },
        { outcome: 'ok', credits: 500, rounds: 1 },
      ]);
      await client.close();
    });

    test('approves nothing unless it is accepted and says so', async () => {
      await price.set(500);
      const before = server.requests;
      const { client, shown } = await connect(approval);
      const answers: FormAnswer[] = [
        { action: 'decline' },
        { action: 'cancel' },
        { action: 'accept', content: { approve: false } },
        { action: 'accept', content: { approve: 'true' } },
        { action: 'accept' },
        { action: 'decline', content: { approve: true } },
      ];
      for (const answer of answers) {
        shown.answer = answer;
        const refused = await client.callTool(say);
        expect(refused, JSON.stringify(answer)).toMatchObject(priceRaised(app.publicUrl, 5, 500));
      }
      expect(shown.asked).toHaveLength(answers.length);
      expect(server.requests).toBe(before);
      expect(await ann.balance()).toBe(10_000);
      const refusal = { outcome: 'refused', reason: 'price_raised', credits: 0 };
      expect(await ann.log()).toMatchObject(answers.map(() => refusal));
      shown.answer = approval;
      expect(await client.callTool(say)).toMatchObject(ran(500));
      await client.close();
    });

    test('appears for a tool that is called through call_tool, and on the link of its server', async () => {
      await price.set(500);
      const all = await connect(approval);
      expect(await all.client.callTool({ name: 'call_tool', arguments: say })).toMatchObject(ran(500));
      expect(all.shown.asked).toHaveLength(1);
      await price.set(501);
      const one = await connect(approval, '/s/paid/mcp');
      expect(await one.client.callTool({ ...say, name: 'say' })).toMatchObject(ran(501));
      expect(one.shown.asked).toHaveLength(1);
      await Promise.all([all.client.close(), one.client.close()]);
    });
  });
});
