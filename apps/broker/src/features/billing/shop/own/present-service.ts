import type { McpService } from '@souk/contract/billing/billing.ts';
import type { IncludingPlan, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { presentServer, type CatalogueServer } from '#features/catalogue/index.ts';
import { accessTo } from '../../entitlement/access-to.ts';
import type { Owned } from '../../entitlement/owned.ts';
import { presentAccess } from './present-access.ts';

/** Presents a service in a user's list: "Service" (specification part 2, section 3). */
export function presentService(
  server: CatalogueServer,
  person: { owned: Owned; disabled: ReadonlySet<string>; tried: ReadonlySet<string> },
  plan: IncludingPlan | undefined,
  nowMs: number,
): McpService {
  const shown = presentServer(server, { plan });
  const { metadata, displayName, displayDescription, billing, creditsFrom } = shown;
  const access = accessTo(server, person.owned, nowMs);
  return {
    id: server.id,
    icon: metadata.icon ?? null,
    name: displayName,
    description: displayDescription,
    billing: billing ? presentBilling(billing) : null,
    ...(creditsFrom !== undefined && { creditsFrom }),
    features: server.manifest.features,
    userAccess: presentAccess(access, server, person.owned, nowMs),
    // the same two conditions as for lists and calls (gateway/view/personal-view.ts)
    enabled: access.type !== 'none' && !person.disabled.has(server.id),
    trialDays: access.type === 'none' ? trialLeft(server, person.tried) : null,
    down: presentDown(shown),
  };
}

/** Status of a failing service, with the time and the reason; null while it answers. */
export function presentDown({ status, downSince, statusDetail = '' }: ServerAnswer): McpService['down'] {
  return downSince === undefined ? null : { status, since: downSince, reason: statusDetail };
}

function presentBilling({ tier, rental, plan }: NonNullable<ServerAnswer['billing']>): McpService['billing'] {
  return {
    tier,
    rental: rental ? { price: rental.price, currency: rental.currency } : null,
    currency: rental?.currency ?? 'USD',
    plan: plan ?? null,
  };
}

/** Days of a server's trial; null where there is none, or the user has had it. @param tried servers the user has already tried */
export function trialLeft({ id, manifest }: CatalogueServer, tried: ReadonlySet<string>): number | null {
  return tried.has(id) ? null : (manifest.billing?.trialDays ?? null);
}
