import type { NextCharge } from '@souk/contract/billing/billing.ts';
import { formatMoney, formatMonthly } from '#ui/text/amount.ts';

const taxText = ({ plusTax }: Pick<NextCharge, 'plusTax'>) => (plusTax ? ' plus tax' : '');

/** The next charge with its tax, or "plus tax" while the tax is unknown. */
export const chargeText = (charge: NextCharge): string =>
  formatMoney(charge.amountCents, charge.currency) + taxText(charge);

/** The same charge as a monthly price. */
export const monthlyChargeText = (charge: NextCharge): string =>
  formatMonthly(charge.amountCents, charge.currency) + taxText(charge);
