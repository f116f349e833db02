import type { z } from 'zod';
import type { Plan } from '@souk/contract/billing.ts';
import type { planChangeSchema } from '@souk/contract/payments.ts';
import { tiers } from '@souk/contract/tiers.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { AccessBook } from '../access/create-access.ts';
import type { OwnedPlan } from '../access/owned.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import { offeredPlan } from '../prices/offered.ts';
import type { Prices } from '../prices/create-prices.ts';
import { findPlan, requireActive, type Own } from './find-own.ts';
import { readSubscription } from './read-subscription.ts';
import type { SyncSubscription } from './sync-subscription.ts';

export type PlanChange = z.infer<typeof planChangeSchema>;
export type ChangePlan = (
  userId: string,
  id: string,
  wanted: { planId: string; preview: boolean },
) => Promise<{ message: string; change: PlanChange }>;

/**
 * Changes the plan of a subscription. A higher one begins at once, and only if the difference is paid; a lower one begins with
 * the next period. The current plan, where another one was chosen for the next period, takes that choice back.
 * @throws SoukError, as the contract says
 */
export function createChangePlan(given: {
  query: Query;
  provider: PaymentProvider;
  access: Pick<AccessBook, 'read'>;
  offers: Pick<OfferStore, 'plans'>;
  prices: Pick<Prices, 'planPriceId' | 'put'>;
  sync: SyncSubscription;
  clock: Clock;
}): ChangePlan {
  const { provider, prices, sync, clock } = given;

  async function findTarget(planId: string): Promise<Plan & { wantedPriceId: string }> {
    const plan = (await given.offers.plans()).find((one) => one.planId === planId);
    if (!plan) throw new SoukError('plan_not_found', { message: `There is no plan ${planId}` });
    const offered = offeredPlan(plan);
    if (!offered)
      throw new SoukError('invalid_request', { message: 'planId: cancel the subscription to go to the free plan' });
    return { ...plan, wantedPriceId: prices.planPriceId(plan) ?? (await prices.put(offered)).priceId };
  }

  function judge(own: Own<OwnedPlan>, target: Plan): 'upgrade' | 'downgrade' | 'keep' {
    requireActive(own);
    if (own.planId === target.planId) {
      if (own.nextPlanId === undefined)
        throw new SoukError('invalid_request', { message: `planId: ${target.name} is the plan that you have` });
      return 'keep';
    }
    const isHigher = tiers[target.tier].level > tiers[own.tier].level;
    // the difference would be counted from the price of the plan that was chosen for the next period
    if (isHigher && own.nextPlanId !== undefined)
      throw new SoukError('invalid_request', {
        message: `planId: you chose ${own.nextPlanId} for the next period. Keep ${own.name} first, then upgrade.`,
      });
    return isHigher ? 'upgrade' : 'downgrade';
  }

  return async (userId, id, { planId, preview }) => {
    const target = await findTarget(planId);
    const own = await findPlan({ ...given, nowMs: clock.now() }, userId, id);
    const kind = judge(own, target);
    const read = await readSubscription(provider, own.paymentId);
    if (!read || read.endedAt) {
      await sync(own.paymentId);
      throw new SoukError('not_active', { message: 'This subscription is over.' });
    }
    const items = [{ id: read.itemId, price: target.wantedPriceId }];
    const isUpgrade = kind === 'upgrade';
    const proration_behavior = isUpgrade ? ('always_invoice' as const) : ('none' as const);
    const change: PlanChange = {
      planId,
      kind: kind === 'downgrade' ? 'downgrade' : 'upgrade',
      amountDue: isUpgrade ? await priceOf(own.paymentId, items) : 0,
      nextAmount: target.amount,
      currency: target.currency,
      at: (kind === 'downgrade' ? read.periodEndsAt : new Date(clock.now())).toISOString(),
    };
    if (preview) return { message: 'Nothing is changed yet.', change };
    try {
      await provider.call((stripe) =>
        stripe.subscriptions.update(own.paymentId, {
          items,
          proration_behavior,
          ...(isUpgrade && { payment_behavior: 'error_if_incomplete' as const }),
        }),
      );
    } finally {
      await sync(own.paymentId);
    }
    return { message: tell(kind, target.name, change.at), change };
  };

  async function priceOf(subscription: string, items: { id: string; price: string }[]): Promise<number> {
    const invoice = await provider.call((stripe) =>
      stripe.invoices.createPreview({
        subscription,
        subscription_details: { items, proration_behavior: 'always_invoice' },
      }),
    );
    return invoice.amount_due;
  }
}

function tell(kind: 'upgrade' | 'downgrade' | 'keep', name: string, at: string): string {
  if (kind === 'upgrade') return `You are on the ${name} plan now.`;
  if (kind === 'keep') return `You keep the ${name} plan.`;
  return `The ${name} plan begins on ${at.slice(0, 10)}.`;
}
