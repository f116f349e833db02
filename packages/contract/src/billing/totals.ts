import { z } from 'zod';
import { moneyText } from './currencies.ts';

/** Discount and tax on a price, in minor units: the total is subtotal - discount + tax. */
export const totalsSchema = z.object({
  /** Before discount and tax. */
  subtotal: z.int(),
  discount: z.int(),
  tax: z.int(),
});
export type Totals = z.infer<typeof totalsSchema>;

/** Returns the composition of a paid or refunded amount; undefined without discount and tax. */
export function totalsOf(amount: number, { discount, tax }: Pick<Totals, 'discount' | 'tax'>): Totals | undefined {
  return discount === 0 && tax === 0 ? undefined : { subtotal: amount - tax + discount, discount, tax };
}

/** Describes the composition of an amount: "$19 - $9.50 discount + $1.81 tax = $11.31". */
export function totalsText({ subtotal, discount, tax }: Totals, currency: string): string {
  const money = (amount: number) => moneyText(amount, currency);
  const off = discount === 0 ? '' : ` - ${money(discount)} discount`;
  const added = tax === 0 ? '' : ` + ${money(tax)} tax`;
  return `${money(subtotal)}${off}${added} = ${money(subtotal - discount + tax)}`;
}
