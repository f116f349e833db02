import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Finding } from './payment-finding.ts';

/** Stripe refuses each payment page that asks for tax before Stripe Tax is set up, and collects none without a registration. */
export async function examineTax(provider: PaymentProvider): Promise<Finding> {
  const { status, status_details: details } = await provider.call((stripe) => stripe.tax.settings.retrieve());
  if (status !== 'active') {
    const missing = details.pending?.missing_fields ?? [];
    return {
      status: 'failed',
      detail: `STRIPE_TAX=1, and Stripe Tax is not set up${missing.length > 0 ? `: ${missing.join(', ')} is missing` : ''}.`,
      advice: 'Set it up (Settings, Tax), or take STRIPE_TAX away: no payment page opens before.',
    };
  }
  const { data } = await provider.call((stripe) => stripe.tax.registrations.list({ status: 'active', limit: 100 }));
  const places = data.map(({ country }) => country);
  if (places.length > 0) return { status: 'passed', detail: `Tax is collected for ${places.join(', ')}.` };
  return {
    status: 'warned',
    detail: 'Stripe Tax is set up without a registration: it collects no tax anywhere.',
    advice: 'Add where you are registered (Tax, Registrations).',
  };
}

/** The field for a code is of no use without a code. */
export async function examineCodes(provider: PaymentProvider): Promise<Finding> {
  const { data } = await provider.call((stripe) => stripe.promotionCodes.list({ active: true, limit: 1 }));
  if (data.length > 0) return { status: 'passed', detail: 'The account has promotion codes that are active.' };
  return {
    status: 'warned',
    detail: 'PROMOTION_CODES=1, and the account has no active promotion code.',
    advice: 'Make a coupon with a code (Product catalog, Coupons), or take PROMOTION_CODES away.',
  };
}
