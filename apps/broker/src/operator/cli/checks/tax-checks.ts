import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Finding } from './payment-finding.ts';

/** Checks Stripe Tax: before it is set up, Stripe refuses payment pages with tax, and it collects none without a registration. */
export async function examineTax(provider: PaymentProvider): Promise<Finding> {
  const { status, status_details: details } = await provider.call((stripe) => stripe.tax.settings.retrieve());
  if (status !== 'active') {
    const missing = details.pending?.missing_fields ?? [];
    return {
      status: 'failed',
      detail: `STRIPE_TAX=1, but Stripe Tax is not set up${missing.length > 0 ? `: ${missing.join(', ')} is missing` : ''}.`,
      advice: 'Set it up (Settings, Tax), or remove STRIPE_TAX: until then no payment page opens.',
    };
  }
  const { data } = await provider.call((stripe) => stripe.tax.registrations.list({ status: 'active', limit: 100 }));
  const places = data.map(({ country }) => country);
  if (places.length > 0) return { status: 'passed', detail: `Tax is collected for ${places.join(', ')}.` };
  return {
    status: 'warned',
    detail: 'Stripe Tax is set up without a registration: it collects no tax anywhere.',
    advice: 'Add your tax registrations (Tax, Registrations).',
  };
}

/** Checks for active promotion codes, without which the field for a code is useless. */
export async function examineCodes(provider: PaymentProvider): Promise<Finding> {
  const { data } = await provider.call((stripe) => stripe.promotionCodes.list({ active: true, limit: 1 }));
  if (data.length > 0) return { status: 'passed', detail: 'The account has active promotion codes.' };
  return {
    status: 'warned',
    detail: 'PROMOTION_CODES=1, but the account has no active promotion code.',
    advice: 'Create a coupon with a code (Product catalog, Coupons), or remove PROMOTION_CODES.',
  };
}
