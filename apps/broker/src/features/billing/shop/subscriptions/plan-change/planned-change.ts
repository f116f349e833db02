import type { Stripe } from 'stripe';
import type { z } from 'zod';
import type { Plan } from '@souk/contract/billing/billing.ts';
import type { planChangeSchema } from '@souk/contract/billing/payments.ts';
import type { OwnedPlan } from '../../../entitlement/owned.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { Own } from '../find-own.ts';
import type { ProviderSubscription } from '../reading/read-subscription.ts';

export type ChangeParts = Pick<
  ShopParts,
  'db' | 'provider' | 'access' | 'offers' | 'prices' | 'sync' | 'locks' | 'findServer' | 'uuid' | 'clock'
>;

export type PlanChange = z.infer<typeof planChangeSchema>;

export type Target = Plan & { wantedPriceId: string };

export type PlannedChange = {
  own: Own<OwnedPlan>;
  read: ProviderSubscription;
  kind: 'upgrade' | 'downgrade' | 'keep';
  /** Paid and effective now. */
  isNow: boolean;
  /** Made before by the same click. */
  isMade: boolean;
  update: Pick<Stripe.SubscriptionUpdateParams, 'proration_behavior' | 'proration_date'> & {
    items: { id: string; price: string }[];
  };
  change: PlanChange;
};
