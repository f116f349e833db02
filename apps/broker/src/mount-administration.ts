import { countOwned, mountAdministrationRoutes } from '#features/billing/index.ts';
import { mountDifferenceRoutes, mountManifestRoutes, mountManifestRunRoutes } from '#features/catalogue/index.ts';
import { requireRecentSignIn } from '#features/identity/index.ts';
import { mountConnectionTests, mountIssuerRoutes, mountServerLog } from '#features/upstreams/index.ts';
import { createServerFigures, mountServerFigures, type ServerUse } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { KeepAlive } from '#platform/http/keep-alive.ts';
import type { Router } from '#platform/http/router.ts';
import { mountAdminStats } from './admin-stats.ts';
import type { App } from './app-types.ts';

type Parts = Pick<
  App,
  'administration' | 'billing' | 'catalogue' | 'db' | 'identity' | 'manifestRuns' | 'people' | 'policy' | 'upstreams'
> & { clock: Clock; keepAlive: KeepAlive };

/**
 * Mounts what only administrators may call. Each call lives with the feature that owns the data; identity mounts those on
 * accounts, and the catalogue those on changed tools, beside their own.
 * @returns how a server did, which a command shows too
 */
export function mountAdministration(router: Router, parts: Parts): ServerUse {
  const { administration, billing, catalogue, db, identity, manifestRuns, people, policy, upstreams } = parts;
  const { clock, keepAlive } = parts;
  mountManifestRoutes(router, {
    ...people,
    catalogue,
    policy,
    db,
    watch: upstreams.watch,
    putRental: billing.prices.stageRental,
    refundedRentals: administration.refundedRentals,
    requireRecentSignIn: (caller) => requireRecentSignIn(caller, clock),
  });
  mountManifestRunRoutes(router, {
    ...people,
    catalogue,
    db,
    runs: manifestRuns,
    keepAlive,
    onRevoked: identity.onRevoked,
    clock,
  });
  mountDifferenceRoutes(router, { ...people, catalogue });
  mountConnectionTests(router, upstreams);
  mountServerLog(router, { ...upstreams, catalogue });
  mountIssuerRoutes(router, { ...upstreams, catalogue });
  mountAdministrationRoutes(router, { administration, prices: billing.prices, clock });
  mountAdminStats(router, {
    countUsers: identity.directory.count,
    snapshot: () => catalogue.snapshot(),
    countOwned: () => countOwned(db.query, billing.livemode, clock.now()),
  });
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
  return serverFigures;
}
