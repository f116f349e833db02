import type { SubscriptionAnswer, UserAccess } from '@souk/contract/billing.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import type { Access } from './access-to.ts';
import { isRunning, isUnpaid, statusOf, type Owned, type OwnedPlan, type OwnedServer } from './owned.ts';
import type { RentedServer } from './read-rented.ts';

/** "User access to a server" (specification part 1, section 3). */
export function presentAccess(access: Access): UserAccess {
  const by = 'by' in access ? access.by : undefined;
  return {
    hasAccess: access.type !== 'none',
    accessType: access.type,
    expiresAt: isoOrNull(by?.periodEndsAtMs),
    isTrialPeriod: access.type === 'trial',
    features: featuresOf(access),
    isCancelled: by?.isCancelled ?? false,
  };
}

/** How a plan stands among features (specification part 2, section 3). */
export const planFeature = ({ planId }: Pick<OwnedPlan, 'planId'>): string => `System subscription (${planId})`;

function featuresOf(access: Access): string[] {
  if (access.type === 'subscription') return [planFeature(access.by)];
  return 'by' in access ? [...access.by.features] : [];
}

/** All that a person owns (GET /api/billing/subscription), but for their credits. What is over is left out. */
export function presentOwned(
  owned: Owned,
  rentedServer: (serverId: string) => RentedServer,
  nowMs: number,
): Omit<SubscriptionAnswer, 'success' | 'credits'> {
  const isShown = (span: OwnedPlan | OwnedServer) => isRunning(span, nowMs) || isUnpaid(span, nowMs);
  const running = owned.plans.filter((plan) => isRunning(plan, nowMs));
  const plans = owned.plans.filter(isShown);
  const servers = owned.servers.filter(isShown);
  const ofKind = (kind: OwnedServer['kind']) => servers.filter((server) => server.kind === kind);
  /** By the clock: the provider's word that it was dropped may be late. */
  const pendingOf = ({ pending }: OwnedPlan) => (pending && pending.untilMs > nowMs ? pending : undefined);
  const subscription: SubscriptionAnswer['subscription'] = {
    subscriptions: plans.map((plan) => ({
      id: plan.id,
      planName: plan.name,
      mcpId: plan.planId,
      type: 'subscription' as const,
      status: statusOf(plan, nowMs),
      currentPeriodEnd: isoOrNull(plan.periodEndsAtMs),
      nextPlanId: plan.nextPlanId ?? null,
      pendingPlanId: pendingOf(plan)?.planId ?? null,
      pendingUntil: isoOrNull(pendingOf(plan)?.untilMs),
      source: presentSource(plan.source),
    })),
    rentals: ofKind('rental').map((rental) => ({
      id: rental.id,
      mcpId: rental.serverId,
      status: statusOf(rental, nowMs),
      type: rental.period ?? 'monthly',
      startDate: iso(rental.startedAtMs),
      endDate: isoOrNull(rental.periodEndsAtMs),
      features: [...rental.features],
      source: presentSource(rental.source),
      ...rentedServer(rental.serverId),
    })),
    purchases: ofKind('purchase').map((purchase) => ({
      id: purchase.id,
      mcpId: purchase.serverId,
      status: statusOf(purchase, nowMs),
      ...(purchase.periodEndsAtMs !== undefined && { expiresAt: iso(purchase.periodEndsAtMs) }),
    })),
    trials: ofKind('trial').map((trial) => ({
      id: trial.id,
      mcpId: trial.serverId,
      status: statusOf(trial, nowMs),
      expiresAt: iso(trial.periodEndsAtMs ?? nowMs),
    })),
  };
  return {
    subscription,
    activeTiers: activeTiers(running),
    summary: {
      hasActiveSubscriptions: running.length > 0,
      totalSubscriptions: running.length,
      totalPurchases: subscription.purchases.length,
      totalRentals: subscription.rentals.filter(({ status }) => status !== 'unpaid').length,
      totalTrials: subscription.trials.length,
    },
  };
}

/** T0, which everyone has, and those of the plans; the lowest first. */
function activeTiers(plans: readonly OwnedPlan[]): Tier[] {
  const owned = new Set<Tier>(['T0', ...plans.map(({ tier }) => tier)]);
  return [...owned].sort((a, b) => tiers[a].level - tiers[b].level);
}

const presentSource = (source: OwnedPlan['source']) =>
  source === 'payment' ? ('payment' as const) : ('administrator' as const);
const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));
