import type { McpService } from '@souk/contract/billing/billing.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';

/**
 * Returns the names of services that the user can no longer use once their plan has ended.
 * @param kept the tier of the next plan, if there is one
 */
export function servicesLost(services: readonly McpService[], kept?: Tier): string[] {
  const isLost = ({ userAccess: { plan, accessType, isCancelled }, billing }: McpService) =>
    plan !== null &&
    (accessType === 'subscription' || accessType === 'trial' || isCancelled) &&
    (kept === undefined || tiers[billing?.tier ?? 'T0'].level > tiers[kept].level);
  return services.filter(isLost).map(({ name }) => name);
}
