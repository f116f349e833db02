import type { Stripe } from 'stripe';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';

/** Presents the details by which users recognize a payment method, and none that could pay elsewhere. */
export function presentPaymentMethod(method: Stripe.PaymentMethod): PaymentMethod {
  const { type, card } = method;
  if (card)
    return { type, brand: card.brand, last4: card.last4, expires: { month: card.exp_month, year: card.exp_year } };
  return { type, brand: null, last4: accountDigits(method) ?? null, expires: null };
}

function accountDigits({ sepa_debit, us_bank_account, bacs_debit, acss_debit, au_becs_debit }: Stripe.PaymentMethod) {
  const account = sepa_debit ?? us_bank_account ?? bacs_debit ?? acss_debit ?? au_becs_debit;
  return account?.last4;
}
