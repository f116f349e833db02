// The product with a stand-in for Stripe whose time the parent moves: a message with a number of days is answered when all
// that follows from them has happened there.
import { join } from 'node:path';
import { createControlledSandbox, type ControlPlane } from '@souk/stripe-sandbox/testing';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/build-web.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { connectStripe } from '../apps/broker/src/testing/open-checkout.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';

const daySeconds = 86_400;

const config = readConfig({ ...process.env, LOG_LEVEL: 'fatal' });
let control: ControlPlane | undefined;
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  webFolder: await buildWeb(),
  paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
  async createStripeSandbox(given) {
    const sandbox = await createControlledSandbox(given);
    ({ control } = sandbox);
    return sandbox;
  },
});
await app.start();
if (!app.stripeSandbox) throw new Error('the stand-in for Stripe does not run');
const stripe = connectStripe(app.stripeSandbox.access);
await app.billing.prices.synced();

const clocks = new Map<string, string>();

/** What happened before, the choice of another card among it, is known to the product before the time goes on. */
async function allIsKnown(): Promise<void> {
  await waitUntil('all events have arrived', async () => {
    const { data } = await stripe.events.list({ delivery_success: false, limit: 1 });
    return data.length === 0;
  });
  await app.billing.payments?.events.idle();
}

/** Of every customer, by the clock that each gets at the first advance. */
async function advance(days: number): Promise<void> {
  await allIsKnown();
  for (const { id } of (await stripe.customers.list({ limit: 100 })).data) {
    const clock = clocks.get(id) ?? (await control?.giveClock(id));
    if (clock === undefined) throw new Error('there is no control plane');
    clocks.set(id, clock);
    const { frozen_time: now } = await stripe.testHelpers.testClocks.retrieve(clock);
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: now + days * daySeconds });
  }
}

process.on('message', (days) => void advance(Number(days)).then(() => process.send?.('advanced')));
process.once('disconnect', () => void app.stop().then(() => process.exit(0)));
process.send?.({ publicUrl: config.publicUrl });
