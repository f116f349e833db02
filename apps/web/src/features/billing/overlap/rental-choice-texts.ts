import type { NextCharge } from '@souk/contract/billing/billing.ts';
import { formatDay, formatMoney } from '#ui/text/amount.ts';
import { chargeText, monthlyChargeText } from '#web/texts/charge-text.ts';
import type { OwnRental } from './included-rentals.ts';

/** A plan's price each month, where no tax is added and no discount is taken off. */
export type PlainPrice = { amount: number; currency: string };

/** Says what becomes of a rental that the plan includes: it ends with its period, or it renews. */
export function rentalChoiceText({ charge, endDate }: OwnRental, ends: boolean): string {
  const end = charge?.at ?? endDate;
  const price = charge && priceText(charge);
  if (ends) {
    const until = end === null ? 'with the period that you have paid' : `on ${formatDay(end)}`;
    return `It ends ${until}${price === null ? '' : `, instead of renewing at ${price}`}. You can resume it until then. What you paid for this month is not paid back.`;
  }
  const day = end === null ? 'with each period' : `on ${formatDay(end)}`;
  return `It renews ${day}${price === null ? '' : ` at ${price}`}.`;
}

/** A discount may be of one month alone. */
const priceText = (charge: NextCharge): string =>
  charge.totals?.discount ? chargeText(charge) : monthlyChargeText(charge);

/**
 * Says what the plan and the rentals that stay beside it cost together each month. Undefined where no rental stays, and where
 * the sum is unknown: an amount has a tax or a discount, or another currency.
 * @param plan.price undefined: it is not known to the cent
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
  return `You then pay ${money(sum)} each month: ${inWords.format(parts.map((part) => `${money(part.amount)} for ${part.name}`))}.`;
}

const inWords = new Intl.ListFormat('en-US');
