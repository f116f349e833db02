// The product with a stand-in for Stripe whose time the parent moves: a message with a number of days is answered once everything
// that follows from them has happened there. Its first message has the addresses of checkouts that are still open.
import { join } from 'node:path';
import { createControlledSandbox, type ControlPlane } from '@souk/stripe-sandbox/testing';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/web-app/build-web.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { connectStripe, openCheckout } from '../apps/broker/src/testing/people/open-checkout.ts';
import { createPassDays } from './pass-days.ts';

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
if (!app.stripeSandbox || !control) throw new Error('the stand-in for Stripe is not running');
const stripe = connectStripe(app.stripeSandbox.access);
await app.billing.prices.synced();

const { publicUrl } = config;
const sessions = await Promise.all([
  openCheckout(stripe, publicUrl),
  openCheckout(stripe, publicUrl, 'subscription'),
  openCheckout(stripe, publicUrl),
]);
const passDays = createPassDays({ app, stripe, control });

process.on('message', (days) => void passDays(Number(days)).then(() => process.send?.('advanced')));
process.once('disconnect', () => void app.stop().then(() => process.exit(0)));
process.send?.({ publicUrl, checkouts: sessions.map(({ url }) => url) });
