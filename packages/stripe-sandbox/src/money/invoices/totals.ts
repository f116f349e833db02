import type { Coupon } from '../../objects/types.ts';
import type { TaxRule } from '../demo-tax.ts';

/** Line with its amount before discount and tax. */
export type UncalculatedLine = { amount: number; discountable: boolean };
export type CalculatedLine = { discount: number; tax: number; total: number };

/** Subtracts the discount, then adds tax, line by line, so that a session and its invoice have the same total. */
export function calculateLines(
  lines: readonly UncalculatedLine[],
  { coupon, tax: rule }: { coupon: Coupon | undefined; tax: TaxRule | undefined },
): CalculatedLine[] {
  let amountOff = coupon?.amount_off ?? 0;
  return lines.map(({ amount, discountable }) => {
    const percentOff = Math.round((amount * (coupon?.percent_off ?? 0)) / 100);
    const discount = discountable && amount > 0 ? Math.min(amount, amountOff + percentOff) : 0;
    amountOff -= Math.min(amountOff, discount);
    const left = amount - discount;
    const tax = Math.round((left * (rule?.percent ?? 0)) / 100);
    return { discount, tax, total: left + tax };
  });
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
