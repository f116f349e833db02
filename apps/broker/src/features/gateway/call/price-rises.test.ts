import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { connectLegacy, connectModern, postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../../migrations.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';
import { createPriceTag, eras, newPerson, priceRaised, ran, type Priced } from './testing/priced-tool.ts';

// A raised price, over MCP and on the page: the user is asked before a call costs more. price-of-brokers.test.ts tests
// it on PostgreSQL.

describeOnEmbedded('a raised price', migrations, (open) => {
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

  const connects = { modern: connectModern, legacy: connectLegacy };
  const say = { name: 'paid__say', arguments: { end: 'ok' } };
  const raised = (from: number, to: number) => priceRaised(app.publicUrl, from, to);
  const call = async ({ token } = ann, over: Record<string, unknown> = {}) =>
    (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { ...say, ...over })).body.result;

  test.each(eras)(
    'refuses the call of a %s client until the user approves the price on the page that it names, even after listing again',
    async (era) => {
      const client = await connects[era](`${app.publicUrl}/mcp`, ann.token);
      await client.listTools();
      expect(await client.callTool(say)).toMatchObject(ran(5));
      await price.set(500);
      const before = server.requests;
      expect(await client.callTool(say)).toMatchObject(raised(5, 500));
      await client.listTools();
      expect(await client.callTool(say)).toMatchObject(raised(5, 500));
      expect(server.requests).toBe(before);
      expect(await ann.balance()).toBe(9_995);
      const refused = { name: 'say', outcome: 'refused', reason: 'price_raised', credits: 0 };
      expect(await ann.log()).toMatchObject([{ outcome: 'ok', credits: 5 }, refused, refused]);

      const rise = { serverId: 'paid', serverName: 'paid', tool: 'say', oldCredits: 5, newCredits: 500 };
      expect((await ann.rises()).rises).toMatchObject([rise]);
      expect(await ann.approve(500)).toEqual({ status: 200, success: true });
      expect(await ann.rises()).toEqual({ status: 200, success: true, rises: [], coming: [] });
      expect(await client.callTool(say)).toMatchObject(ran(500));
      expect(await ann.balance()).toBe(9_495);
      await client.close();
    },
  );

  test('needs no approval from users who came after it', async () => {
    await price.set(500);
    expect(await call(await newPerson(app))).toMatchObject(ran(500));
    expect(await call(ann)).toMatchObject(raised(5, 500));
  });

  test('stays raised when the price goes down and up again, and is approved once per user', async () => {
    const low = await price.set(5);
    const high = await price.set(500);
    await ann.approve(500);
    const bob = await newPerson(app);
    const [carl, dora] = [ann, bob];
    await price.back(low);
    const eve = await newPerson(app);
    expect(await call(carl)).toMatchObject(ran(5));
    await price.back(high);
    expect(await call(carl)).toMatchObject(ran(500));
    expect(await call(dora)).toMatchObject(ran(500));
    expect(await call(eve)).toMatchObject(raised(5, 500));
    await price.set(501);
    for (const person of [carl, dora]) expect(await call(person)).toMatchObject(raised(500, 501));
    expect(await call(eve)).toMatchObject(raised(5, 501));
  });

  test('lower prices apply immediately, and a price that is still above the old one needs approval', async () => {
    await price.set(500);
    expect(await call()).toMatchObject(raised(5, 500));
    await price.set(300);
    expect(await call()).toMatchObject(raised(5, 300));
    await price.set(2);
    expect(await call()).toMatchObject(ran(2));
    // above what others once paid, below what this user knows
    await price.set(4);
    expect(await call()).toMatchObject(ran(4));
    expect(await ann.rises()).toMatchObject({ rises: [] });
  });

  test('also needs approval for a tool that was free', async () => {
    await price.set(0);
    const bob = await newPerson(app);
    await price.set(1);
    expect(await call(bob)).toMatchObject(raised(0, 1));
    await bob.approve(1);
    expect(await call(bob)).toMatchObject(ran(1));
  });

  test('an approval covers the price that was shown, for this user only', async () => {
    await price.set(500);
    const bob = await newPerson(app);
    await price.set(600);
    expect(await ann.approve(500)).toMatchObject({ status: 409, code: 'tool_price_changed' });
    expect(await ann.approve(600, 5_000)).toMatchObject({ status: 409, code: 'tool_price_changed' });
    expect(await call()).toMatchObject(raised(5, 600));
    await bob.approve(600);
    expect(await call(bob)).toMatchObject(ran(600));
    expect(await call()).toMatchObject(raised(5, 600));
  });

  test('the page shows a tool that was never called when its link names it', async () => {
    await price.set(500);
    expect((await ann.rises()).rises).toEqual([]);
    expect((await ann.rises('?server=paid&tool=say')).rises).toMatchObject([{ oldCredits: 5, newCredits: 500 }]);
    expect((await ann.rises('?server=paid&tool=other')).rises).toEqual([]);
  });
});
