import { tiers } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { accessTo, highestPlan } from '../access/access-to.ts';
import { isRunning, type Owned } from '../access/owned.ts';
import type { Tier } from '@souk/contract/tiers.ts';

/**
 * Keeps a person from paying twice for one server.
 * @throws SoukError has_access where they rent or bought it, or their plan includes it, and says where to manage that
 */
export function refuseRented(server: CatalogueServer, owned: Owned, nowMs: number, publicUrl: string): void {
  const access = accessTo(server, owned, nowMs);
  const { name } = server.manifest;
  if (access.type === 'rental' || access.type === 'purchase')
    throw hasAccess(`You have access to ${name} already.`, `${publicUrl}/dashboard?tab=services`);
  // what ends with its period may be followed by a rental
  if (access.type === 'subscription' && !access.by.isCancelled)
    throw hasAccess(`Your ${access.by.name} plan includes ${name} already.`, `${publicUrl}/dashboard?tab=billing`);
}

/**
 * Keeps a person from paying for two plans: one that is paid is changed, not bought beside the first.
 * @throws SoukError has_access
 */
export function refuseSubscribed(tier: Tier, owned: Owned, nowMs: number, publicUrl: string): void {
  const paid = owned.plans.find((plan) => plan.source === 'payment' && isRunning(plan, nowMs));
  const highest = highestPlan(owned, nowMs);
  const covering = highest && tiers[highest.tier].level >= tiers[tier].level ? highest : undefined;
  const plan = paid ?? covering;
  if (plan) throw hasAccess(`You have the ${plan.name} plan already.`, `${publicUrl}/dashboard?tab=billing`);
}

const hasAccess = (message: string, manageUrl: string) =>
  new SoukError('has_access', { message: `${message} Manage it here: ${manageUrl}` });
