// The product with a server and a stand-in for Stripe, in which the parent triggers events: each message names an event
// and is answered once it has happened.
import { join } from 'node:path';
import { createControlledSandbox, type ControlPlane } from '@souk/stripe-sandbox/testing';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/web-app/build-web.ts';
import { startEndingServer } from '../apps/broker/src/features/gateway/call/testing/ending-server.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { connectStripe } from '../apps/broker/src/testing/people/open-checkout.ts';
import { startTcpProxy, type TcpProxy } from '../apps/broker/src/testing/network/tcp-proxy.ts';
import { createPassDays } from './pass-days.ts';

const server = await startEndingServer('modern');
const wireToServer = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
const address = `127.0.0.1:${wireToServer.port}`;
const config = readConfig({ ...process.env, LOG_LEVEL: 'fatal', HEALTH_INTERVAL_MS: '1000' });
let control: ControlPlane | undefined;
let direct = { host: '', port: 0 };
let wireToStripe: TcpProxy | undefined;
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  webFolder: await buildWeb(),
  allowAddresses: [address],
  paths: { ...paths, catalogue: join(import.meta.dirname, '../apps/broker/src/testing/empty-catalogue') },
  async createStripeSandbox(given) {
    const sandbox = await createControlledSandbox(given);
    ({ control } = sandbox);
    direct = { host: sandbox.host, port: sandbox.port };
    wireToStripe = await startTcpProxy(direct);
    return { ...sandbox, host: '127.0.0.1', port: wireToStripe.port };
  },
});
await app.start();
if (!app.stripeSandbox || !control || !wireToStripe) throw new Error('the stand-in for Stripe is not running');
const stripe = connectStripe({ ...app.stripeSandbox.access, ...direct });
await app.billing.prices.synced();
const { pathname } = new URL(server.url);
const connection = { type: 'http', url: `http://${address}${pathname}` };
await deployManifest(app, { id: 'used', name: 'Used', connection, billing: { tier: 'T0', toolCosts: { say: 3 } } });

const plane = control;
const stripeWire = wireToStripe;
const passDays = createPassDays({ app, stripe, control });

const happenings: Readonly<Record<string, () => Promise<unknown>>> = {
  'a month passes': () => passDays(32),
  'the tool changes': async () => {
    server.changeTool();
    app.upstreams.watch.refresh(['used'], true);
  },
  'the server goes away': () => wireToServer.stop(),
  'the server is back': () => wireToServer.resume(),
  'webhooks wait': async () => plane.pause(),
  'webhooks come while Stripe is out of reach': async () => {
    await stripeWire.stop();
    plane.resume();
  },
  'Stripe is back': () => stripeWire.resume(),
  'the dispute is answered': async () => {
    const [dispute] = (await stripe.disputes.list({ limit: 1 })).data;
    await stripe.disputes.update(dispute?.id ?? '', {
      evidence: { uncategorized_text: 'the order, and its delivery' },
    });
  },
  'all is counted': async () => {
    await app.billing.ledger.flush();
    await app.usage.flush();
  },
};

process.on('message', (what) => {
  const happen = happenings[String(what)] ?? (() => Promise.reject(new Error(`${String(what)} is not a known event`)));
  void happen().then(() => process.send?.('done'));
});
process.once('disconnect', () => void app.stop().then(() => process.exit(0)));
process.send?.({ publicUrl: config.publicUrl });
