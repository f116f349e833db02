import { tiers, type Tier } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import { readOwned } from '../../../entitlement/access-store.ts';
import { accessTo, highestPlan, planIncluding } from '../../../entitlement/access-to.ts';
import { isRunning, type Owned } from '../../../entitlement/owned.ts';
import type { Order } from './order.ts';

/** Sentence that says what already gives the user the item, and the tab of the dashboard where they manage it. */
export type Already = { message: string; tab: 'services' | 'billing' };

/**
 * Finds what already gives a user the item of an order: one rule for the start of a checkout, for open pages and for payments
 * that arrive.
 * @param query also of a transaction
 */
export async function ownedAlready(
  query: Query,
  { findServer, nowMs }: { findServer(id: string): CatalogueServer | undefined; nowMs: number },
  { userId, livemode, kind, itemId }: Pick<Order, 'userId' | 'livemode' | 'kind' | 'itemId'>,
): Promise<Already | undefined> {
  if (kind === 'credits') return undefined;
  const owned = await readOwned(query, livemode, userId);
  if (kind === 'plan') {
    const { rows } = await query<{ tier: Tier }>('select tier from plans where plan_id = $1', [itemId]);
    return rows[0] && subscribedAlready(rows[0].tier, owned, nowMs);
  }
  const server = findServer(itemId);
  if (!server) return undefined;
  return rentedAlready(server, owned, nowMs) ?? includedSoon(query, server, { userId, livemode });
}

/** Checks whether they rent or bought the server, or their plan includes it. */
function rentedAlready(server: CatalogueServer, owned: Owned, nowMs: number): Already | undefined {
  const access = accessTo(server, owned, nowMs);
  const { name } = server.manifest;
  if (access.type === 'rental' || access.type === 'purchase')
    return { message: `You have access to ${name} already.`, tab: 'services' };
  // also alongside a trial; a rental may follow a plan that ends with its period
  const plan = planIncluding(server, owned, nowMs);
  return plan && !plan.isCancelled ? included(plan.name, name) : undefined;
}

/** Checks whether they have a paid plan, which they change instead, or a plan that covers this one. */
function subscribedAlready(tier: Tier, owned: Owned, nowMs: number): Already | undefined {
  const paid = owned.plans.find((plan) => plan.source === 'payment' && isRunning(plan, nowMs));
  const highest = highestPlan(owned, nowMs);
  const covering = highest && tiers[highest.tier].level >= tiers[tier].level ? highest : undefined;
  const plan = paid ?? covering;
  return plan && { message: `You have the ${plan.name} plan already.`, tab: 'billing' };
}

/** Checks whether a plan that includes the server was paid for and is about to start. */
async function includedSoon(
  query: Query,
  { manifest: { name, billing } }: CatalogueServer,
  { userId, livemode }: Pick<Order, 'userId' | 'livemode'>,
): Promise<Already | undefined> {
  const { level } = tiers[billing?.tier ?? 'T0'];
  if (level === 0) return undefined;
  const { rows } = await query<{ name: string; tier: Tier }>(
    `select p.name, p.tier from checkout_orders o join plans p on p.plan_id = o.item_id
     where o.user_id = $1 and o.livemode = $2 and o.kind = 'plan' and o.status = 'paid'`,
    [userId, livemode],
  );
  const plan = rows.find((one) => tiers[one.tier].level >= level);
  return plan && included(plan.name, name);
}

const included = (plan: string, server: string): Already => ({
  message: `Your ${plan} plan includes ${server} already.`,
  tab: 'billing',
});
