import { expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { createCatalogue } from '../create-catalogue.ts';
import { manifest, offering, tool } from '../testing/weather-server.ts';

const log = createLog('silent');
const startMs = Date.UTC(2026, 10, 1);
const dayMs = 24 * 60 * 60_000;
const on = (day: number) => startMs + day * dayMs;

describeOnDatabases('the record of prices', migrations, (open) => {
  /** A catalogue with one server and a manual clock: each deployment is one day after the previous one. */
  async function start() {
    const time = { ms: startMs };
    const db = await open();
    const catalogue = await createCatalogue({ db, clock: { now: () => time.ms }, log });
    let versions = 0;
    return {
      catalogue,
      db,
      time,
      async deploy(toolCosts: Record<string, number>, more: object = {}, change: object = {}): Promise<string> {
        time.ms = on(versions);
        const version = `1.0.${versions++}`;
        const billing = { tier: 'T0', toolCosts, ...more };
        await catalogue.deployManifest(manifest('weather', { version, billing, ...change }), { via: 'command' });
        return version;
      },
      /** Returns price, time of the rise and earlier prices of a tool; undefined if it has no record. */
      priceOf(name: string) {
        const price = catalogue.snapshot().byId.get('weather')?.prices.get(name);
        return price && { ...price, steps: price.steps.map(({ credits }) => credits) };
      },
    };
  }

  test('has each change with its day, and no deployment that changes no price', async () => {
    const { catalogue, deploy, priceOf } = await start();
    await deploy({ one: 5 });
    expect(priceOf('one')).toEqual({ credits: 5, raisedAtMs: undefined, steps: [], coming: undefined });
    const high = await deploy({ one: 500 });
    await deploy({ one: 500 });
    expect(priceOf('one')).toEqual({ credits: 500, raisedAtMs: on(1), steps: [5, 500], coming: undefined });
    await deploy({ one: 300 });
    expect(priceOf('one')).toEqual({ credits: 300, raisedAtMs: on(1), steps: [5, 500, 300], coming: undefined });
    await deploy({ one: 5 });
    expect(priceOf('one')).toMatchObject({ credits: 5, raisedAtMs: undefined, steps: [] });
    await catalogue.deploy('weather', high);
    expect(priceOf('one')).toMatchObject({ credits: 500, raisedAtMs: on(4), steps: [5, 500, 300, 5, 500] });
    await catalogue.stop();
  });

  test('an existing tool without a price was free; a new tool has its first price', async () => {
    const { catalogue, deploy, priceOf } = await start();
    await deploy({});
    await catalogue.storeDiscovery('weather', offering({ tools: [tool('one')] }));
    await deploy({ one: 5, two: 7 });
    expect(priceOf('one')).toMatchObject({ credits: 5, raisedAtMs: on(1), steps: [0, 5] });
    expect(priceOf('two')).toMatchObject({ credits: 7, raisedAtMs: undefined });
    // it keeps that price when the price is removed
    await deploy({});
    expect(priceOf('two')).toMatchObject({ credits: 0, raisedAtMs: undefined });
    await deploy({ two: 7 });
    expect(priceOf('two')).toMatchObject({ credits: 7, raisedAtMs: on(3), steps: [7, 0, 7] });
    await catalogue.stop();
  });

  test('tools that a server shows after sign-in were free before they had a price', async () => {
    const { catalogue, deploy, priceOf } = await start();
    const signIn = { auth: { type: 'oauth' } };
    await deploy({ first: 2 }, {}, signIn);
    await deploy({ first: 2, personal: 3 }, {}, signIn);
    expect(priceOf('first')).toMatchObject({ credits: 2, raisedAtMs: undefined });
    expect(priceOf('personal')).toMatchObject({ credits: 3, raisedAtMs: on(1), steps: [0, 3] });
    await catalogue.stop();
  });

  test('outlives the time in which a server is not deployed', async () => {
    const { catalogue, deploy, priceOf } = await start();
    await deploy({ one: 5 });
    await catalogue.undeploy('weather', { via: 'command' });
    await deploy({ one: 6 });
    expect(priceOf('one')).toMatchObject({ credits: 6, raisedAtMs: on(1), steps: [5, 6] });
    await catalogue.stop();
  });

  test('an announced price begins on its day, unless another version is deployed before', async () => {
    const { catalogue, deploy, time, priceOf } = await start();
    const announcing = (credits: number, day: number) => ({
      announcedPrices: { one: { credits, from: new Date(on(day)).toISOString() } },
    });
    await deploy({ one: 5 });
    await deploy({ one: 5 }, announcing(9, 10));
    expect(priceOf('one')).toMatchObject({
      credits: 5,
      raisedAtMs: undefined,
      coming: { credits: 9, sinceMs: on(10) },
    });
    await deploy({ one: 5 });
    expect(priceOf('one')?.coming).toBeUndefined();
    const announced = await deploy({ one: 5 }, announcing(7, 20));
    time.ms = on(10);
    await catalogue.reload();
    expect(priceOf('one')).toMatchObject({ credits: 5, coming: { credits: 7, sinceMs: on(20) } });
    time.ms = on(20);
    await catalogue.reload();
    expect(priceOf('one')).toEqual({ credits: 7, raisedAtMs: on(20), steps: [5, 7], coming: undefined });
    // the same version, when it is deployed again
    time.ms = on(21);
    await catalogue.undeploy('weather', { via: 'command' });
    await catalogue.deploy('weather', announced);
    expect(priceOf('one')).toMatchObject({ credits: 7, raisedAtMs: on(20), steps: [5, 7] });
    await catalogue.stop();
  });

  test('a broker applies an announced price when its day has come', async () => {
    // the clock is stopped until the announcement was read
    const stopped = { atMs: Date.now(), isOver: false };
    const clock = { now: () => (stopped.isOver ? Date.now() : stopped.atMs) };
    const catalogue = await createCatalogue({ db: await open(), clock, log });
    const from = new Date(stopped.atMs + 1_000);
    const billing = { tier: 'T0', announcedPrices: { one: { credits: 9, from: from.toISOString() } } };
    await catalogue.deployManifest(manifest('weather', { billing }), { via: 'command' });
    const price = () => catalogue.snapshot().byId.get('weather')?.prices.get('one');
    expect(price()).toMatchObject({ credits: 0, coming: { credits: 9 } });
    stopped.isOver = true;
    await waitUntil('the day', () => price()?.credits === 9);
    expect(price()).toMatchObject({ raisedAtMs: from.getTime(), coming: undefined });
    await catalogue.stop();
  });
});
