import type { NextCharge } from '@souk/contract/billing/billing.ts';
import { formatMoney, formatMonthly } from '#ui/text/amount.ts';

const taxText = ({ plusTax }: Pick<NextCharge, 'plusTax'>) => (plusTax ? ' plus tax' : '');

/** What is charged next: with its tax, or "plus tax" where the tax is not known yet. */
export const chargeText = (charge: NextCharge): string =>
  formatMoney(charge.amountCents, charge.currency) + taxText(charge);

/** The same as what is paid each month. */
export const monthlyChargeText = (charge: NextCharge): string =>
  formatMonthly(charge.amountCents, charge.currency) + taxText(charge);
