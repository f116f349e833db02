import type { NextCharge } from '@souk/contract/billing/billing.ts';
import { formatDay, formatMoney } from '#ui/text/amount.ts';
import { chargeText, monthlyChargeText } from '#web/texts/charge-text.ts';
import { listed } from '#web/texts/listed.ts';
import type { OwnRental } from './included-rentals.ts';

/** A plan's monthly price without tax or discount. */
export type PlainPrice = { amount: number; currency: string };

export function rentalChoiceText({ charge, endDate }: OwnRental, ends: boolean): string {
  const end = charge?.at ?? endDate;
  const price = charge && priceText(charge);
  if (ends) {
    const until = end === null ? 'with the period that you have paid' : `on ${formatDay(end)}`;
    return `It ends ${until}${price === null ? '' : `, instead of renewing at ${price}`}. You can resume it until then. This month's payment isn't refunded.`;
  }
  const day = end === null ? 'with each period' : `on ${formatDay(end)}`;
  return `It renews ${day}${price === null ? '' : ` at ${price}`}.`;
}

/** A discount may apply to one month only. */
const priceText = (charge: NextCharge): string =>
  charge.totals?.discount ? chargeText(charge) : monthlyChargeText(charge);

/**
 * Says what the plan and the remaining rentals cost together each month. Undefined if no rental remains, or if an
 * amount has a tax, a discount or another currency.
 * @param plan.price undefined: not known to the cent
 */
export function monthlySumText(
  plan: { name: string; price: PlainPrice | undefined },
  staying: readonly OwnRental[],
): string | undefined {
  const { name, price } = plan;
  if (staying.length === 0 || !price) return undefined;
  const parts = [{ name, amount: price.amount }];
  for (const { name, charge } of staying) {
    if (!charge || charge.totals || charge.plusTax || charge.currency !== price.currency) return undefined;
    parts.push({ name, amount: charge.amountCents });
  }
  const money = (amount: number) => formatMoney(amount, price.currency);
  const sum = parts.reduce((total, { amount }) => total + amount, 0);
  return `You then pay ${money(sum)} each month: ${listed(parts.map((part) => `${money(part.amount)} for ${part.name}`))}.`;
}
