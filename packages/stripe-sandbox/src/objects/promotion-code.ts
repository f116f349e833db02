import type { Row, Work } from '../work.ts';
import type { Coupon, Metadata } from './types.ts';

type CouponFields = Omit<
  Coupon,
  'object' | 'created' | 'livemode' | 'times_redeemed' | 'valid' | 'duration' | 'deleted'
>;

export function addCoupon(
  work: Work,
  given: Pick<Coupon, 'duration'> & { [Name in keyof CouponFields]?: CouponFields[Name] | undefined },
): Row<'coupon'> {
  return work.add(
    'coupon',
    {
      id: given.id ?? work.newId('coupon'),
      object: 'coupon',
      amount_off: given.amount_off ?? null,
      created: work.time,
      currency: given.currency ?? null,
      duration: given.duration,
      duration_in_months: given.duration_in_months ?? null,
      livemode: false,
      max_redemptions: given.max_redemptions ?? null,
      metadata: given.metadata ?? {},
      name: given.name ?? null,
      percent_off: given.percent_off ?? null,
      redeem_by: given.redeem_by ?? null,
      times_redeemed: 0,
      valid: true,
    },
    {},
  );
}

export function addPromotionCode(
  work: Work,
  given: {
    code: string;
    coupon: string;
    customer?: string | undefined;
    expiresAt?: number | undefined;
    maxRedemptions?: number | undefined;
    minimum?: { amount: number; currency: string } | undefined;
    metadata?: Metadata;
  },
): Row<'promotion_code'> {
  return work.add(
    'promotion_code',
    {
      id: work.newId('promotion_code'),
      object: 'promotion_code',
      active: true,
      code: given.code,
      created: work.time,
      customer: given.customer ?? null,
      customer_account: null,
      expires_at: given.expiresAt ?? null,
      livemode: false,
      max_redemptions: given.maxRedemptions ?? null,
      metadata: given.metadata ?? {},
      promotion: { type: 'coupon', coupon: given.coupon },
      restrictions: {
        first_time_transaction: false,
        minimum_amount: given.minimum?.amount ?? null,
        minimum_amount_currency: given.minimum?.currency ?? null,
      },
      times_redeemed: 0,
    },
    {},
  );
}
