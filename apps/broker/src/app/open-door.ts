import type { FastifyInstance } from 'fastify';
import type { Identity } from '#features/identity/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { unheardText } from '#platform/db/postgres/hearing.ts';
import {
  connectionLimits,
  limitConnections,
  readOpenFileLimit,
  thisMachine,
} from '#platform/http/connections/connection-limits.ts';
import { createConnections, type Connections } from '#platform/http/connections/connections.ts';
import { createForwardedRequests, type ForwardedRequests } from '#platform/http/connections/forwarded-requests.ts';
import { createRequestRates } from '#platform/http/request-rates.ts';
import { createRouter, type Router } from '#platform/http/router.ts';
import { buildServer } from '#platform/http/server.ts';
import type { Refusals } from '../refusals/refusals.ts';
import { limitUnknown } from '#platform/http/limit-unknown.ts';
import { version } from '../version.ts';
import type { Platform } from './open-platform.ts';

export type Door = {
  readonly server: FastifyInstance;
  readonly router: Router;
  readonly connections: Connections;
  readonly forwarded: ForwardedRequests;
  /** Makes /readyz answer 503 from now on. */
  close(): void;
};

/** Builds the HTTP server and its router, with rate limits, authentication and readiness. */
export async function openDoor(
  { config, db, ids, log, unread, clock }: Platform,
  { identity, upstreams, refusals }: { identity: Identity; upstreams: Upstreams; refusals: Refusals },
): Promise<Door> {
  let isClosing = false;
  const connections = createConnections();
  const server = await buildServer({
    config,
    ids,
    log,
    unread,
    connections,
    version,
    readiness: async () => ({
      ready: !isClosing && (await db.query('select 1')).rows.length === 1 && db.fault?.() === undefined,
      reason: db.fault?.(),
      warnings: [db.isUnheard?.() ? unheardText : undefined, upstreams.watch.leftOut()].filter(
        (text) => text !== undefined,
      ),
    }),
  });
  const openFiles = readOpenFileLimit();
  if (openFiles !== undefined) {
    const ofDatabase = config.databaseUrl === undefined ? 0 : config.poolSize;
    const limits = connectionLimits(openFiles - ofDatabase, config.limits.upstreamConnections);
    limitConnections(server.server, limits, [...config.trustProxy, ...thisMachine]);
  }
  const rates = createRequestRates(config.limits.api, clock, db.brokers, (who) =>
    refusals.note('api', { code: 'rate_limited', ...who }),
  );
  limitUnknown(server, rates);
  const forwarded = createForwardedRequests(config.trustProxy);
  return {
    server,
    router: createRouter(server, identity.guard, { unread, rates, forwarded }),
    connections,
    forwarded,
    close() {
      isClosing = true;
    },
  };
}
