// The broker alone, with sessions of checkout that wait for a person: their addresses are in its first message.
import { join } from 'node:path';
import { createApp } from '../apps/broker/src/app.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { connectStripe, openCheckout } from '../apps/broker/src/testing/open-checkout.ts';

const config = readConfig({ ...process.env, LOG_LEVEL: 'fatal' });
const { publicUrl } = config;
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
});
await app.start();
if (!app.stripeSandbox) throw new Error('the stand-in for Stripe does not run');
const stripe = connectStripe(app.stripeSandbox.access);
const sessions = await Promise.all([
  openCheckout(stripe, publicUrl),
  openCheckout(stripe, publicUrl, 'subscription'),
  openCheckout(stripe, publicUrl),
]);
process.once('disconnect', () => void app.stop().then(() => process.exit(0)));
process.send?.({ publicUrl, checkouts: sessions.map(({ url }) => url) });
