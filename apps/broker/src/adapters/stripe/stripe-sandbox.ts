import { randomBytes } from 'node:crypto';
import { createStripeSandbox, sandboxMigrations, sqlStorage } from '@souk/stripe-sandbox';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { mountSandboxPages } from './sandbox-pages.ts';
import { webhookEvents } from './webhook-events.ts';

const schema = 'stripe_sandbox';

/** Also applied if a real key is set, because the key may be removed later. Until then the table stays empty. */
export const stripeSandboxMigrations = sandboxMigrations(schema);

export type StripeAccess = {
  host: string;
  port: number;
  protocol: 'http';
  secretKey: string;
  webhookSecret: string;
};

export type StripeSandboxAdapter = Awaited<ReturnType<typeof startStripeSandbox>>;

export const stripeWebhookPath = '/api/webhooks/stripe';

/**
 * Starts the stand-in for Stripe in this process, on its own port, with its state in our database.
 * @param options.webhookKey the same in all brokers of a database, because they share the queue
 */
export async function startStripeSandbox(options: {
  db: Database;
  config: { publicUrl: string; port: number };
  webhookKey: Buffer;
  clock: Clock;
  log: Log;
  /** Tests start one whose webhooks they control. */
  create?: typeof createStripeSandbox;
}) {
  const { db, config, clock, log, create = createStripeSandbox } = options;
  const secretKey = `sk_test_sandbox_${randomBytes(24).toString('hex')}`;
  const webhookSecret = `whsec_${options.webhookKey.toString('hex')}`;
  const sandbox = await create({
    storage: sqlStorage(db, schema),
    clock,
    log,
    publicUrl: config.publicUrl,
    returnUrl: `${config.publicUrl}/dashboard?tab=billing`,
    apiKey: secretKey,
    webhook: {
      url: `${config.publicUrl}${stripeWebhookPath}`,
      secret: webhookSecret,
      events: webhookEvents,
      // on this machine, the public name may lead through a proxy, or not resolve
      connectTo: { host: '127.0.0.1', port: config.port },
    },
  });
  const { host, port } = sandbox;
  return {
    access: { host, port, protocol: 'http', secretKey, webhookSecret } satisfies StripeAccess,
    /** Passes /dev-stripe/* on, so that browsers find the pages at our own origin. */
    mountPages: (server: FastifyInstance): void => mountSandboxPages(server, { host, port }),
    stop: () => sandbox.stop(),
  };
}
