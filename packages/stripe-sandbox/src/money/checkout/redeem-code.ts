import { smallestCharge } from '../currencies.ts';
import type { CheckoutSession, PromotionCode } from '../../objects/types.ts';
import type { Row, Work } from '../../work.ts';
import { addDemoCode } from './demo-codes.ts';

const isUsedUp = (max: number | null, redeemed: number): boolean => max !== null && redeemed >= max;
const isOver = (until: number | null, now: number): boolean => until !== null && until <= now;

/**
 * Finds a promotion code that is valid for a session. Another customer's code is treated as nonexistent.
 * @returns the code, or the problem as Stripe's page words it
 */
export async function findCode(
  work: Work,
  session: CheckoutSession,
  typed: string,
): Promise<Row<'promotion_code'> | { problem: string }> {
  const code = typed.trim().toUpperCase();
  const found = /^[A-Z0-9-]{1,100}$/.test(code)
    ? ((await work.find('promotion_code', { body: { code, active: true }, limit: 1 }))[0] ?? addDemoCode(work, code))
    : undefined;
  const problem = found ? await problemOf(work, session, found.body) : 'This code is invalid.';
  return problem === undefined && found ? found : { problem: problem ?? 'This code is invalid.' };
}

/** Returns why a code cannot be used. Called again at payment, because the code may have been used up since it was entered. */
export async function problemOf(
  work: Work,
  session: CheckoutSession,
  { promotion, restrictions, ...code }: PromotionCode,
): Promise<string | undefined> {
  const { body: coupon } = await work.need('coupon', promotion.coupon);
  if (!code.active || (code.customer !== null && code.customer !== session.customer)) return 'This code is invalid.';
  if (isOver(code.expires_at, work.time) || isOver(coupon.redeem_by, work.time)) return 'This code has expired.';
  if (isUsedUp(code.max_redemptions, code.times_redeemed) || isUsedUp(coupon.max_redemptions, coupon.times_redeemed))
    return 'This code has been used up.';
  if (coupon.currency !== null && coupon.currency !== session.currency)
    return 'This code cannot be used in this currency.';
  const { minimum_amount: least, minimum_amount_currency: currency } = restrictions;
  const isEnough = currency === session.currency && (session.amount_subtotal ?? 0) >= (least ?? 0);
  if (least !== null && !isEnough) return 'This code is for larger purchases.';
  return undefined;
}

/** Whether a total can be charged: nothing, or at least the currency's minimum. */
export const isChargeable = (total: number, currency: string): boolean =>
  total === 0 || total >= smallestCharge(currency);
