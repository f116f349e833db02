import type { Coupon, Subscription } from '../../objects/types.ts';
import type { Row, Work } from '../../work.ts';
import { addCalendarMonths } from '../../time/billing-period.ts';
import { taxRuleOf, type TaxRule } from '../demo-tax.ts';

/** A discount with its coupon. */
export type Applied = { id: string; coupon: Coupon };
export type Pricing = { discount: Applied | undefined; tax: TaxRule | undefined };

/** Redeems a promotion code as a discount. */
export async function addDiscount(
  work: Work,
  given: { promotionCode: string; customer: string | null; session: string; subscription: string | null },
): Promise<Applied> {
  const promotion = await work.need('promotion_code', given.promotionCode);
  const coupon = await work.need('coupon', promotion.body.promotion.coupon);
  const months = coupon.body.duration_in_months;
  const { id } = work.add(
    'discount',
    {
      id: work.newId('discount'),
      object: 'discount',
      checkout_session: given.session,
      customer: given.customer,
      customer_account: null,
      end: coupon.body.duration === 'repeating' && months !== null ? addCalendarMonths(work.time, months) : null,
      invoice: null,
      invoice_item: null,
      promotion_code: promotion.id,
      source: { type: 'coupon', coupon: coupon.id },
      start: work.time,
      subscription: given.subscription,
      subscription_item: null,
    },
    {},
  );
  promotion.body.times_redeemed += 1;
  coupon.body.times_redeemed += 1;
  work.save(promotion);
  work.save(coupon);
  return { id, coupon: coupon.body };
}

export async function pricingOf(work: Work, subscription: Subscription, at: number): Promise<Pricing> {
  const [id] = subscription.discounts;
  const discount = id === undefined ? undefined : await work.need('discount', id);
  const end = discount?.body.end ?? null;
  const isOver = end !== null && end <= at;
  return {
    discount: discount && !isOver ? await appliedOf(work, discount.id) : undefined,
    tax: subscription.automatic_tax.enabled ? await taxOf(work, subscription.customer) : undefined,
  };
}

export async function appliedOf(work: Work, id: string): Promise<Applied> {
  const discount = await work.need('discount', id);
  return { id, coupon: (await work.need('coupon', discount.body.source.coupon)).body };
}

/** Returns the tax for a customer's last billing address and tax id. */
export async function taxOf(work: Work, customer: string): Promise<TaxRule> {
  const { body, memory } = await work.need('customer', customer);
  return taxRuleOf(body.address?.country ?? undefined, memory.taxId);
}

/** Records the discount of a period's invoice. Removes a discount that has ended or is for one invoice only. */
export function updateDiscount(work: Work, subscription: Row<'subscription'>, { discount }: Pricing): void {
  subscription.memory.invoicedWith = discount?.id;
  if (!discount || discount.coupon.duration === 'once') subscription.body.discounts = [];
  work.save(subscription);
}
