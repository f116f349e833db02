import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { stripeWebhookPath } from '#adapters/stripe/stripe-sandbox.ts';
import {
  mountBillingHistoryRoutes,
  mountBillingRoutes,
  mountCheckoutRoutes,
  mountPriceRiseRoutes,
  mountSpendCapRoutes,
  mountSubscriptionRoutes,
} from '#features/billing/index.ts';
import {
  mountBundledIcons,
  mountCatalogueRoutes,
  mountRegistryRoutes,
  type CatalogueServer,
  type CatalogueSnapshot,
  type ServerIndex,
  type UsedTogether,
} from '#features/catalogue/index.ts';
import { mountSystemRoutes, type SystemView } from '#features/system/index.ts';
import {
  mountClientDocument,
  mountPreferenceRoutes,
  mountUpstreamRoutes,
  mountUpstreamSignInRoutes,
} from '#features/upstreams/index.ts';
import { mountServerRecord, mountUsageRoutes, usedTools } from '#features/usage/index.ts';
import type { App } from '../app-types.ts';
import type { Features } from './join-features.ts';
import { mountAdministration } from './mount-administration.ts';
import { version } from '../version.ts';
import type { Door } from './open-door.ts';
import type { Platform } from './open-platform.ts';

/** 2026-07-28 first, then the revisions that start with initialize. */
const protocolVersions = ['2026-07-28', ...new Set([LATEST_PROTOCOL_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS])];

type Parts = Features & {
  system: SystemView;
  indexOf(snapshot: CatalogueSnapshot): ServerIndex;
  usedTogether(): UsedTogether;
};

export async function mountRoutes(
  { server, router }: Door,
  platform: Platform,
  parts: Parts,
): Promise<Pick<App, 'serverFigures' | 'overview'>> {
  const { config, paths, db, keepAlive, downloads, clock, log } = platform;
  const { identity, catalogue, upstreams, billing, gateway, refusals } = parts;
  const { query } = db;
  const { livemode } = billing;
  await identity.mountRoutes(server, router);
  parts.diagnostics.mountRoutes(router, identity);

  parts.icons.mountRoutes(server);
  await mountBundledIcons(server, paths.icons);
  const soldTerms = (server: CatalogueServer) => ({
    rentalPriceId: billing.prices.rentalPriceId(server),
    plan: billing.shownOffers.planOf(server),
    creditPrice: billing.shownOffers.creditPrice(),
  });
  mountCatalogueRoutes(router, { ...parts, config, clock, version, protocolVersions, soldTerms });
  mountRegistryRoutes(router, { db, catalogue, config });

  mountUpstreamRoutes(router, { ...upstreams, catalogue });
  mountPreferenceRoutes(router, { ...upstreams, catalogue, entitlement: billing.entitlement });
  mountUpstreamSignInRoutes(router, { ...upstreams, catalogue, config });
  mountClientDocument(server, { config, catalogue });

  mountSpendCapRoutes(router, billing);
  mountPriceRiseRoutes(router, {
    ...billing,
    catalogue,
    usedTools: (userId) => usedTools(query, userId, clock.now()),
    isCharging: billing.payments !== undefined,
  });
  mountBillingRoutes(router, { ...billing, db, catalogue, clock, disabledServers: upstreams.preferences.readDisabled });
  mountCheckoutRoutes(router, billing);
  mountSubscriptionRoutes(router, { ...billing, query, clock });
  mountBillingHistoryRoutes(router, { query, livemode, downloads });

  mountUsageRoutes(router, { query, clock, nameClients: identity.nameClients, livemode, downloads });
  mountServerRecord(router, { catalogue, health: upstreams.health, query, clock, log });

  parts.notices.mountRoutes(server, router);

  const shown = mountAdministration(router, { ...parts, clock, db, downloads, keepAlive });
  mountSystemRoutes(router, { system: parts.system });
  await gateway.mountRoutes(server, router);
  billing.payments?.mountWebhook(server, stripeWebhookPath, (code) => refusals.note('webhook', { code }));
  parts.stripeSandbox?.mountPages(server);
  return shown;
}
