import { eraseAgain } from '#platform/backup/erased-list.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';
import { serveMetrics } from '#platform/metrics-server.ts';
import type { App, AppOptions } from '../app-types.ts';
import { drainMsOf, stopInOrder } from '../stop-in-order.ts';
import type { Features } from './join-features.ts';
import type { Door } from './open-door.ts';
import type { Platform } from './open-platform.ts';

type Parts = Features & {
  door: Door;
  drainMs: AppOptions['drainMs'];
  jobs: Jobs;
  /** Reads how much servers are used, so that the figures are there for the first visitor. */
  popularity(): unknown;
};

export function lifecycleOf(
  { config, db, log, unread, outbound, telemetry, stopListening }: Platform,
  parts: Parts,
): Pick<App, 'start' | 'serversAsked' | 'stop'> {
  const { billing, door, gateway, upstreams } = parts;
  let metricsServer: { stop(): Promise<void> } | undefined;
  const asked = Promise.withResolvers<void>();

  /** Each step's name appears in the log if the step fails. */
  const steps: [string, () => Promise<unknown>][] = [
    ['gateway', () => gateway.stop()],
    ['server', () => door.server.close()],
    ['unread answers', async () => unread.stop()],
    ['events of payments', async () => billing.payments?.events.stop()],
    ['payment pages', async () => billing.payments?.stop()],
    ['offers', () => billing.offerEditing.stop()],
    ['shown offers', billing.shownOffers.stop],
    ['prices', () => billing.prices.stop()],
    ['payment provider', async () => parts.provider?.stop()],
    ['stand-in for Stripe', async () => parts.stripeSandbox?.stop()],
    ['upstreams', () => upstreams.stop()],
    ['imports', () => parts.imports.stop()],
    ['allowances', () => parts.allowances.stop()],
    ['jobs', () => parts.jobs.stop()],
    ['ledger', () => billing.ledger.stop()],
    ['usage', () => parts.usage.stop()],
    ['log of calls', async () => parts.callLog.stop()],
    ['log of refused requests', async () => parts.refusals.stop()],
    ['metrics', async () => metricsServer?.stop()],
    ['telemetry', async () => telemetry?.stop()],
    ['diagnostics', () => parts.diagnostics.flush()],
    ['identity', () => parts.identity.stop()],
    ['icons', () => parts.icons.stop()],
    ['access', () => billing.access.stop()],
    ['catalogue', () => parts.catalogue.stop()],
    ['outgoing connections', () => outbound.dispatcher.destroy()],
    ['rotations of the master key', () => stopListening()],
    ['live brokers', () => db.brokers.leave()],
    ['database', () => db.close()],
  ];

  return {
    serversAsked: asked.promise,

    async start() {
      await Promise.all([upstreams.watch.startServices(), parts.jobs.start(), db.brokers.join()]);
      parts.popularity();
      await eraseAgain(db.query, parts.identity.deleteRestored).catch((error: unknown) =>
        log.error(
          { err: error },
          'some deleted accounts that a restore brought back could not be deleted: retried at the next start',
        ),
      );
      if (config.metrics && parts.metrics)
        metricsServer = await serveMetrics({ ...config.metrics, ...parts.metrics, log });
      await door.server.listen({ port: config.port, host: config.host });
      parts.icons.start();
      billing.prices.start();
      billing.payments?.events.start();
      billing.payments?.offersChanged();
      await parts.manifestRuns.start();
      // last: it uses as many database connections as it may
      upstreams.watch.start().then(asked.resolve, (error: unknown) => {
        log.error({ err: error }, 'servers could not be discovered');
        asked.resolve();
      });
    },

    async stop(whenSettled = async () => {}) {
      door.close();
      // Ctrl+C and supervisors also signal the programs that we started, at the same time
      upstreams.beginStop();
      await stopInOrder(config, parts.drainMs ?? drainMsOf(config), {
        connections: door.connections,
        gateway,
        endBackground: () => Promise.all([parts.manifestRuns.stop(), upstreams.tests.stop()]),
        settled: whenSettled,
      }).catch((error: unknown) => log.error({ err: error }, 'requests could not be ended in order'));
      for (const [name, stopPart] of steps) {
        // a part that fails to stop must not prevent the others from stopping
        await stopPart().catch((error: unknown) =>
          log.error({ err: error, part: name }, 'a part did not stop cleanly'),
        );
      }
    },
  };
}
