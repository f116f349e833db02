import type { McpService } from '@souk/contract/billing.ts';
import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { presentServer, type CatalogueServer } from '#features/catalogue/index.ts';
import { accessTo } from './access-to.ts';
import type { Owned } from './owned.ts';
import { presentAccess } from './present-access.ts';

/** A service in the list of one person: "Service" (specification part 2, section 3). */
export function presentService(
  server: CatalogueServer,
  person: { owned: Owned; disabled: ReadonlySet<string> },
  nowMs: number,
): McpService {
  const { metadata, displayName, displayDescription, billing } = presentServer(server);
  const access = accessTo(server, person.owned, nowMs);
  return {
    id: server.id,
    icon: metadata.icon ?? null,
    name: displayName,
    description: displayDescription,
    billing: billing ? presentBilling(billing) : null,
    features: server.manifest.features,
    userAccess: presentAccess(access),
    // the same two conditions as in lists and calls (gateway/view/personal-view.ts)
    enabled: access.type !== 'none' && !person.disabled.has(server.id),
    trialDays: access.type === 'none' ? trialLeft(server, person.owned) : null,
  };
}

function presentBilling({ tier, rental }: NonNullable<ServerAnswer['billing']>): McpService['billing'] {
  return {
    tier,
    rental: rental ? { price: rental.price, currency: rental.currency } : null,
    currency: rental?.currency ?? 'USD',
  };
}

/** Days of the trial of a server that a person has not had yet; null where there is none. */
export function trialLeft({ id, manifest }: CatalogueServer, { triedServers }: Owned): number | null {
  return triedServers.has(id) ? null : (manifest.billing?.trialDays ?? null);
}
