import type { SubscriptionAnswer, UserAccess } from '@souk/contract/billing/billing.ts';
import { tiersUpTo } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { highestPlan, includedUntilMs, planIncluding, type Access } from '../../entitlement/access-to.ts';
import type { Renewal } from '../moves/read-renewals.ts';
import type { ChargeOf } from '../subscriptions/reading/read-next-charges.ts';
import {
  isRunning,
  isShown,
  renews,
  statusOf,
  type Owned,
  type OwnedPlan,
  type OwnedServer,
} from '../../entitlement/owned.ts';
import type { OwnedServerFacts } from '../../entitlement/read-owned-servers.ts';

/** Presents "User access to a server" (specification part 1, section 3). */
export function presentAccess(access: Access, server: CatalogueServer, owned: Owned, nowMs: number): UserAccess {
  const by = 'by' in access ? access.by : undefined;
  return {
    hasAccess: access.type !== 'none',
    accessType: access.type,
    expiresAt: isoOrNull(by?.periodEndsAtMs),
    isTrialPeriod: access.type === 'trial',
    features: featuresOf(access),
    isCancelled: by?.isCancelled ?? false,
    renews: by !== undefined && renews(by),
    plan: presentIncluding(planIncluding(server, owned, nowMs), includedUntilMs(server, owned, nowMs)),
  };
}

const presentIncluding = (plan: OwnedPlan | undefined, untilMs: number | undefined): UserAccess['plan'] =>
  plan
    ? {
        planId: plan.planId,
        name: plan.name,
        since: iso(plan.sinceMs),
        isCancelled: plan.isCancelled,
        includedUntil: isoOrNull(untilMs),
      }
    : null;

/** A plan as a text among features (specification part 2, section 3). */
export const planFeature = ({ planId }: Pick<OwnedPlan, 'planId'>): string => `System subscription (${planId})`;

function featuresOf(access: Access): string[] {
  if (access.type === 'subscription') return [planFeature(access.by)];
  return 'by' in access ? [...access.by.features] : [];
}

/** Presents what a user owns (GET /api/billing/subscription), without their credits and without access that has ended. */
export function presentOwned(
  owned: Owned,
  ownedServer: (serverId: string) => OwnedServerFacts,
  {
    chargeOf,
    chargeIfResumed,
    renewalOf,
  }: { chargeOf: ChargeOf; chargeIfResumed: ChargeOf; renewalOf: (id: string) => Renewal },
  nowMs: number,
): Omit<SubscriptionAnswer, 'success' | 'credits' | 'balance'> {
  const running = owned.plans.filter((plan) => isRunning(plan, nowMs));
  const plans = owned.plans.filter((plan) => isShown(plan, nowMs));
  const servers = owned.servers.filter((server) => isShown(server, nowMs));
  const ofKind = (kind: OwnedServer['kind']) => servers.filter((server) => server.kind === kind);
  // a rental or purchase replaces the trial of the same server
  const trials = ofKind('trial').filter(
    ({ serverId }) =>
      !servers.some((one) => one.serverId === serverId && one.kind !== 'trial' && isRunning(one, nowMs)),
  );
  /** Decides by the clock: the provider's event that it was dropped may be late. */
  const pendingOf = ({ pending }: OwnedPlan) => (pending && pending.untilMs > nowMs ? pending : undefined);
  const subscription: SubscriptionAnswer['subscription'] = {
    subscriptions: plans.map((plan) => ({
      id: plan.id,
      planName: plan.name,
      mcpId: plan.planId,
      tier: plan.tier,
      type: 'subscription' as const,
      status: statusOf(plan, nowMs),
      currentPeriodEnd: isoOrNull(plan.periodEndsAtMs),
      nextPlanId: plan.nextPlanId ?? null,
      nextTier: plan.nextTier ?? null,
      pendingPlanId: pendingOf(plan)?.planId ?? null,
      pendingUntil: isoOrNull(pendingOf(plan)?.untilMs),
      source: presentSource(plan.source),
      ...renewalOf(plan.id),
      // a canceled plan has no renewal with another price
      ...(plan.isCancelled && { priceChange: null }),
      charge: chargeOf(plan),
      chargeIfResumed: chargeIfResumed(plan),
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
      ...ownedServer(rental.serverId),
      ...(rental.endsWithPlanId !== undefined && { endsWithPlanId: rental.endsWithPlanId }),
      // the rental of an undeployed server is not renewed, even if the provider does not know it yet
      ...(ownedServer(rental.serverId).isOffered
        ? { charge: chargeOf(rental), chargeIfResumed: chargeIfResumed(rental) }
        : { charge: null, chargeIfResumed: null }),
    })),
    purchases: ofKind('purchase').map((purchase) => ({
      id: purchase.id,
      mcpId: purchase.serverId,
      status: statusOf(purchase, nowMs),
      ...(purchase.periodEndsAtMs !== undefined && { expiresAt: iso(purchase.periodEndsAtMs) }),
      name: ownedServer(purchase.serverId).name,
    })),
    trials: trials.map((trial) => ({
      id: trial.id,
      mcpId: trial.serverId,
      status: statusOf(trial, nowMs),
      expiresAt: iso(trial.periodEndsAtMs ?? nowMs),
      name: ownedServer(trial.serverId).name,
      isOffered: ownedServer(trial.serverId).isOffered,
    })),
  };
  return {
    subscription,
    activeTiers: tiersUpTo(highestPlan(owned, nowMs)?.tier ?? 'T0'),
    summary: {
      hasActiveSubscriptions: running.length > 0,
      totalSubscriptions: running.length,
      totalPurchases: subscription.purchases.length,
      totalRentals: subscription.rentals.filter(({ status }) => status !== 'unpaid').length,
      totalTrials: subscription.trials.length,
    },
  };
}

const presentSource = (source: OwnedPlan['source']) =>
  source === 'payment' ? ('payment' as const) : ('administrator' as const);
const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));
