import type { PaymentMethod } from '@souk/contract/billing/payments.ts';

/** Names that differ from the provider's name in capitals. */
const names: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  eftpos_au: 'eftpos',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  unknown: 'Card',
  acss_debit: 'Bank account',
  au_becs_debit: 'BECS direct debit',
  bacs_debit: 'Bacs direct debit',
  paypal: 'PayPal',
  sepa_debit: 'SEPA direct debit',
  us_bank_account: 'Bank account',
};

/** "Visa ending in 4242" */
export function paymentMethodText({ type, brand, last4 }: PaymentMethod): string {
  const name = brand ?? type;
  const shown = names[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  return last4 === null ? shown : `${shown} ending in ${last4}`;
}

export function isExpired({ expires }: PaymentMethod, nowMs: number): boolean {
  if (!expires) return false;
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + 1];
  return expires.year < year || (expires.year === year && expires.month < month);
}

export const expiryText = ({ month, year }: NonNullable<PaymentMethod['expires']>): string =>
  `${String(month).padStart(2, '0')}/${year}`;
