import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';
import { createPriceTag, newPerson, priceRaised, ran } from './testing/priced-tool.ts';

describe.skipIf(!hasPostgres())('a raised price, on two brokers (PostgreSQL)', () => {
  let replicas: Replicas;
  let server: EndingServer;

  beforeAll(async () => {
    server = await startEndingServer('modern');
    const databaseUrl = await createPostgresDatabase();
    replicas = await startReplicas(() => connectPatiently(databaseUrl), {
      allowAddresses: [server.address],
      env: withoutHealthChecks,
    });
  });
  afterAll(async () => {
    await replicas?.stop();
    await server?.close();
  });

  test('is refused by the broker that did not deploy it, and runs there once it is approved at the other', async () => {
    const [one, other] = replicas.apps;
    const price = createPriceTag(one, server.url);
    await price.set(5);
    const ann = await newPerson(one);
    const callAt = async (broker: 0 | 1) => {
      const params = { name: 'paid__say', arguments: { end: 'ok' } };
      const headers = replicas.at(broker);
      return (await postModern(`${replicas.publicUrl}/mcp`, ann.token, 'tools/call', params, headers)).body.result;
    };
    const isKnown = (credits: number) => () =>
      other.catalogue.snapshot().byId.get('paid')?.tools[0]?.creditCost === credits;
    await waitUntil('the other broker to know the server', isKnown(5));
    expect(await callAt(1)).toMatchObject(ran(5));
    await price.set(500);
    await waitUntil('the other broker to know the price', isKnown(500));
    for (const broker of [1, 0] as const) {
      expect(await callAt(broker)).toMatchObject(priceRaised(replicas.publicUrl, 5, 500));
    }
    expect((await ann.rises()).rises).toMatchObject([{ tool: 'say', oldCredits: 5, newCredits: 500 }]);
    await one.billing.priceRises.approve(ann.userId, [{ serverId: 'paid', tool: 'say', credits: 500 }], 'page');
    for (const broker of [1, 0, 1] as const) expect(await callAt(broker)).toMatchObject(ran(500));
    // the highest approved price counts
    await price.set(501);
    await waitUntil('the other broker to know the next price', isKnown(501));
    expect(await callAt(1)).toMatchObject(priceRaised(replicas.publicUrl, 500, 501));
    expect((await ann.rises('?server=paid&tool=say')).rises).toMatchObject([{ oldCredits: 500, newCredits: 501 }]);
    expect(await ann.approve(501)).toEqual({ status: 200, success: true });
    for (const broker of [1, 0] as const) expect(await callAt(broker)).toMatchObject(ran(501));
    expect((await ann.rises()).rises).toEqual([]);
  });
});
