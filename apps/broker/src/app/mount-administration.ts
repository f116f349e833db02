import { getAdminStats } from '@souk/contract/admin/users.ts';
import { mountAuditRoutes } from '#features/audit/index.ts';
import { countOwned, mountAdministrationRoutes, mountOfferRoutes } from '#features/billing/index.ts';
import {
  isDown,
  mountDifferenceRoutes,
  mountManifestRoutes,
  mountManifestRunRoutes,
} from '#features/catalogue/index.ts';
import { requireRecentSignIn } from '#features/identity/index.ts';
import {
  mountAllowances,
  mountConnectionTests,
  mountImportRoutes,
  mountIssuerRoutes,
  mountPersonFiles,
  mountServerLog,
  mountServerSecrets,
} from '#features/upstreams/index.ts';
import { createServerFigures, mountPersonCalls, mountServerFigures } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import { createPersonStreams } from '#platform/http/answers/person-streams.ts';
import type { Router } from '#platform/http/router.ts';
import type { App } from '../app-types.ts';
import { auditOf } from './audit-of-database.ts';
import type { Features } from './join-features.ts';
import { createOverview, mountOverview } from '../overview/create-overview.ts';

type Parts = Features & { db: Database; clock: Clock; downloads: Downloads; keepAlive: KeepAlive };

/**
 * Mounts the endpoints for administrators. Each belongs to the feature that owns its data; identity and the catalogue mount
 * those for accounts and changed tools themselves.
 * @returns the figures of servers and the overview, which commands show too
 */
export function mountAdministration(router: Router, parts: Parts): Pick<App, 'serverFigures' | 'overview'> {
  const { administration, billing, catalogue, db, identity, imports, manifestRuns, people, policy, upstreams } = parts;
  const { allowances, allowList, clock, downloads, keepAlive } = parts;
  const streams = createPersonStreams(identity.onRevoked, clock);
  const recentSignIn: { requireRecentSignIn(caller: Caller): void } = {
    requireRecentSignIn: (caller) => requireRecentSignIn(caller, clock),
  };
  mountManifestRoutes(router, {
    ...people,
    catalogue,
    policy,
    db,
    watch: upstreams.watch,
    putRental: billing.prices.stageRental,
    refundedRentals: administration.refundedRentals,
    ...recentSignIn,
  });
  mountManifestRunRoutes(router, {
    ...people,
    catalogue,
    policy,
    missingSecretsOf: upstreams.secrets.missingOf,
    db,
    runs: manifestRuns,
    keepAlive,
    streams,
  });
  mountImportRoutes(router, { imports });
  mountDifferenceRoutes(router, {
    ...people,
    catalogue,
    policy,
    missingSecretsOf: upstreams.secrets.missingOf,
    signInOf: upstreams.signIn.describePair,
  });
  mountConnectionTests(router, { ...upstreams, streams });
  mountServerLog(router, { ...upstreams, catalogue });
  mountIssuerRoutes(router, { ...upstreams, catalogue });
  mountServerSecrets(router, { administration: upstreams.secrets, ...recentSignIn });
  mountAllowances(router, { allowances, allowList, ...recentSignIn });
  mountAdministrationRoutes(router, { administration, prices: billing.prices, clock });
  mountAuditRoutes(router, { audit: auditOf(db.query), query: db.query, downloads, clock });
  mountOfferRoutes(router, { ...billing, moves: billing.payments?.moves, clock });
  mountPersonCalls(router, { ...identity, query: db.query, livemode: billing.livemode });
  mountPersonFiles(router, { ...upstreams, ...identity });
  mountStats(router, parts);
  const serverFigures = createServerFigures({
    ...upstreams,
    catalogue,
    query: db.query,
    countRenters: async (id) => (await people.rentersOf([id])).get(id) ?? 0,
    livemode: billing.livemode,
    currency: policy.currency ?? 'USD',
    clock,
  });
  mountServerFigures(router, { serverFigures });
  const overview = createOverview({
    query: db.query,
    catalogue,
    livemode: billing.livemode,
    failureOf: upstreams.watch.failureOf,
    clock,
  });
  mountOverview(router, { overview });
  return { serverFigures, overview };
}

/** Mounts the figures of several features on one page (specification part 2, section 7: /admin/dashboard/stats). */
function mountStats(router: Router, { identity, billing, catalogue, db, clock }: Parts): void {
  router.route(getAdminStats, async () => {
    const [users, access] = await Promise.all([
      identity.directory.count(),
      countOwned(db.query, billing.livemode, clock.now()),
    ]);
    const { servers } = catalogue.snapshot();
    return {
      success: true as const,
      stats: {
        users,
        servers: {
          deployed: servers.length,
          connected: servers.filter(({ status }) => status === 'connected').length,
          down: servers.filter(isDown).length,
        },
        access,
      },
    };
  });
}
