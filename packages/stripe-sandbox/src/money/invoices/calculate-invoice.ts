import type { Invoice, InvoiceLine } from '../../objects/types.ts';
import type { Pricing } from '../checkout/discount.ts';
import { calculateLines, sumOf } from './totals.ts';

type Totals = Pick<
  Invoice,
  'subtotal' | 'subtotal_excluding_tax' | 'total' | 'total_discount_amounts' | 'total_excluding_tax' | 'total_taxes'
>;

export function calculateInvoice(
  lines: readonly InvoiceLine[],
  { discount, tax: rule }: Pricing,
): Totals & { lines: InvoiceLine[] } {
  const calculated = calculateLines(lines, { coupon: discount?.coupon, tax: rule });
  const taxOf = (amount: number, taxable: number): NonNullable<InvoiceLine['taxes']> => {
    if (!rule) return [];
    const { reason } = rule;
    return [
      {
        amount,
        tax_behavior: 'exclusive',
        tax_rate_details: null,
        taxability_reason: reason,
        taxable_amount: taxable,
        type: 'tax_rate_details',
      },
    ];
  };
  const off = sumOf(calculated.map((one) => one.discount));
  const tax = sumOf(calculated.map((one) => one.tax));
  const subtotal = sumOf(lines.map(({ amount }) => amount));
  return {
    lines: lines.map((line, index) => {
      const { discount: lineOff = 0, tax: lineTax = 0 } = calculated[index] ?? {};
      return {
        ...line,
        discount_amounts: discount && lineOff > 0 ? [{ amount: lineOff, discount: discount.id }] : [],
        taxes: taxOf(lineTax, line.amount - lineOff),
      };
    }),
    subtotal,
    subtotal_excluding_tax: subtotal,
    total: subtotal - off + tax,
    total_discount_amounts: discount ? [{ amount: off, discount: discount.id }] : [],
    total_excluding_tax: subtotal - off,
    total_taxes: taxOf(tax, subtotal - off),
  };
}
