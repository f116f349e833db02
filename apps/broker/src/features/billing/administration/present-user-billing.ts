import type { AdminOwnedServer, UserBilling } from '@souk/contract/admin/billing.ts';
import { isRunning, statusOf, type Owned, type OwnedPlan, type OwnedServer } from '../entitlement/owned.ts';
import { planFeature } from '../shop/own/present-access.ts';
import type { CreditAccount } from '../credits/accounts/read-account.ts';
import type { RefundOffer } from '../shop/refunds/refundable-sql.ts';
import { startOfMonth } from './periods.ts';
import type { ChargeOf } from '../shop/subscriptions/reading/read-next-charges.ts';

/** Presents "Admin billing for a user" (specification part 2, section 3), without access that has ended. */
export function presentUserBilling(
  owned: Owned,
  { balance, held, debt }: CreditAccount,
  {
    refundOf,
    chargeOf,
    nameOf,
  }: { refundOf: (id: string) => RefundOffer; chargeOf: ChargeOf; nameOf: (serverId: string) => string },
  nowMs: number,
): UserBilling {
  const moneyOf = (one: OwnedPlan | OwnedServer) => ({ ...refundOf(one.id), charge: chargeOf(one) });
  const servers = owned.servers.filter((one) => isRunning(one, nowMs));
  const ofKind = (kind: OwnedServer['kind']) =>
    servers
      .filter((one) => one.kind === kind)
      .map((one) => ({ ...presentServer(one, nowMs), name: nameOf(one.serverId), ...moneyOf(one) }));
  return {
    subscriptions: owned.plans
      .filter((plan) => isRunning(plan, nowMs))
      .map((plan) => ({ ...presentPlan(plan, nowMs), ...moneyOf(plan) })),
    purchases: ofKind('purchase'),
    rentals: ofKind('rental'),
    trials: ofKind('trial'),
    credits: { balance, currency: 'USD', held, debt },
  };
}

function presentPlan(
  plan: OwnedPlan,
  nowMs: number,
): Omit<UserBilling['subscriptions'][number], keyof RefundOffer | 'charge'> {
  const { startedAtMs, periodEndsAtMs } = plan;
  const begins = periodEndsAtMs === undefined ? new Date(startedAtMs) : startOfMonth(startedAtMs, periodEndsAtMs);
  return {
    id: plan.id,
    mcpId: plan.planId,
    planName: plan.name,
    type: 'subscription',
    status: statusOf(plan, nowMs),
    source: plan.source,
    currentPeriodStart: begins.toISOString(),
    currentPeriodEnd: isoOrNull(periodEndsAtMs),
    features: [planFeature(plan)],
  };
}

function presentServer(one: OwnedServer, nowMs: number): Omit<AdminOwnedServer, keyof RefundOffer | 'charge' | 'name'> {
  return {
    id: one.id,
    mcpId: one.serverId,
    type: one.kind === 'rental' ? (one.period ?? 'monthly') : one.kind,
    status: statusOf(one, nowMs),
    source: one.source,
    startDate: new Date(one.startedAtMs).toISOString(),
    endDate: isoOrNull(one.periodEndsAtMs),
    features: [...one.features],
  };
}

const isoOrNull = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
