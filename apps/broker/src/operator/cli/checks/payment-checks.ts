import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { stripeWebhookPath } from '#adapters/stripe/stripe-sandbox.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { webhookEvents } from '#adapters/stripe/webhook-events.ts';
import { messageOf } from '#platform/thrown.ts';

type Finding = Pick<ConnectionCheck, 'status' | 'detail'> & { advice?: string };

/** Settings of the payment provider's account that Souk depends on and that its API does not show. docs/payments.md says why. */
const byHand = [
  'after the last retry of a failed renewal, subscriptions are canceled and their invoices left as they are (Billing, Revenue recovery, Retries)',
  'no subscription is paused after a failed payment (the same page)',
  'customers are not limited to one subscription (Settings, Payments, Checkout)',
  'the customer portal is switched on with "update payment methods", and without switching plans, changing quantities, pausing and canceling (Settings, Billing, Customer portal)',
  'a dispute leaves its subscription as it is (Billing, Subscriptions, Manage disputed payments)',
  'customers are sent receipts and failed payments by e-mail (Settings, Emails)',
  'events are sent as snapshots, not as thin events (Developers, Webhooks)',
];

/**
 * Examines the account of the payment provider, as far as its API shows it. Faults are returned and not thrown.
 */
export async function examinePayments(
  provider: PaymentProvider,
  {
    publicUrl,
    paymentMethods,
    checkout = { tax: false, codes: false },
  }: { publicUrl: string; paymentMethods: readonly string[]; checkout?: { tax: boolean; codes: boolean } },
): Promise<ConnectionCheck[]> {
  const webhookUrl = `${publicUrl}${stripeWebhookPath}`;
  type Part = readonly [id: string, name: string, run: () => Promise<Finding>];
  const asked: Part[] = [];
  if (checkout.tax) asked.push(['payments-tax', 'The payment provider adds tax', () => examineTax(provider)]);
  if (checkout.codes) asked.push(['payments-codes', 'There are promotion codes', () => examineCodes(provider)]);
  const parts: readonly Part[] = [
    ['payments-account', 'The payment provider answers, and its account may charge', () => examineAccount(provider)],
    ['payments-webhook', 'The payment provider sends its events', () => examineWebhook(provider, webhookUrl)],
    [
      'payments-methods',
      'The payment methods of the shop are enabled at the payment provider',
      () => examineMethods(provider, paymentMethods),
    ],
    ['payments-cards', 'A card that pays an open invoice is saved', () => examineCards(provider)],
    ...asked,
  ];
  const results: ConnectionCheck[] = [];
  for (const [id, name, run] of parts) {
    const { advice, ...finding } = await run().catch(unreadable);
    results.push({ id, name, ...finding, advice: advice ?? null });
  }
  results.push({
    id: 'payments-by-hand',
    name: 'Settings of the payment provider that its API does not show',
    status: 'warned',
    detail: 'Check them by hand.',
    advice: byHand.join('; '),
  });
  return results;
}

const unreadable = (error: unknown): Finding => ({
  status: 'failed',
  detail: `This could not be read from the payment provider: ${messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)}`,
  advice: 'Check STRIPE_SECRET_KEY, and what a restricted key may read (docs/payments.md).',
});

async function examineAccount(provider: PaymentProvider): Promise<Finding> {
  const account = await provider.call((stripe) => stripe.accounts.retrieveCurrent());
  const mode = provider.livemode ? 'live mode' : 'test mode';
  if (account.charges_enabled) return { status: 'passed', detail: `The account ${account.id} may charge, in ${mode}.` };
  return {
    status: 'failed',
    detail: `The account ${account.id} may not charge yet.`,
    advice: 'Complete the account in the dashboard of the payment provider.',
  };
}

async function examineWebhook(provider: PaymentProvider, url: string): Promise<Finding> {
  const { data } = await provider.call((stripe) => stripe.webhookEndpoints.list({ limit: 100 }));
  const ours = data.filter((one) => one.url === url && one.status === 'enabled');
  if (ours.length === 0)
    return {
      status: 'failed',
      detail: `No endpoint with the address ${url} is enabled.`,
      advice: 'Add it, with the events of docs/payments.md, and set its secret as STRIPE_WEBHOOK_SECRET.',
    };
  const received = new Set(ours.flatMap(({ enabled_events: events }) => events));
  const missing = received.has('*') ? [] : webhookEvents.filter((type) => !received.has(type));
  if (missing.length === 0) return { status: 'passed', detail: `${url} receives all ${webhookEvents.length} events.` };
  return {
    status: 'failed',
    detail: `${url} does not receive: ${missing.join(', ')}.`,
    advice: 'Add these events to the endpoint.',
  };
}

/** Finds disabled payment methods: the provider refuses sessions and subscriptions that name one. */
async function examineMethods(provider: PaymentProvider, methods: readonly string[]): Promise<Finding> {
  const { data } = await provider.call((stripe) => stripe.paymentMethodConfigurations.list({ limit: 100 }));
  const usual = data.find((one) => one.is_default && one.application === null);
  if (!usual) return { status: 'warned', detail: 'Stripe returned no payment methods: check them by hand.' };
  const off = methods.filter((name) => {
    const state: unknown = Reflect.get(usual, name);
    return !(typeof state === 'object' && state !== null && 'available' in state && state.available === true);
  });
  if (off.length === 0) return { status: 'passed', detail: `The account accepts ${methods.join(', ')}.` };
  return {
    status: 'failed',
    detail: `The account does not accept ${off.join(', ')}.`,
    advice: 'Enable it (Settings, Payments, Payment methods), or remove it from PAYMENT_METHODS.',
  };
}

/** Souk makes each subscription save its card. The account's setting covers older subscriptions and other invoices. */
async function examineCards(provider: PaymentProvider): Promise<Finding> {
  const { settings } = await provider.call((stripe) => stripe.accounts.retrieveCurrent());
  const saves = settings?.invoices?.hosted_payment_method_save ?? 'never';
  if (saves === 'always')
    return { status: 'passed', detail: 'The account saves the cards that pay invoices on their pages.' };
  return {
    status: 'passed',
    detail: `The account ${saves === 'offer' ? 'saves cards only if the customer ticks a box' : 'never saves cards'}, but Souk makes each subscription save its card.`,
  };
}

/** Checks Stripe Tax: before it is set up, Stripe refuses payment pages with tax, and it collects none without a registration. */
async function examineTax(provider: PaymentProvider): Promise<Finding> {
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
async function examineCodes(provider: PaymentProvider): Promise<Finding> {
  const { data } = await provider.call((stripe) => stripe.promotionCodes.list({ active: true, limit: 1 }));
  if (data.length > 0) return { status: 'passed', detail: 'The account has active promotion codes.' };
  return {
    status: 'warned',
    detail: 'PROMOTION_CODES=1, but the account has no active promotion code.',
    advice: 'Create a coupon with a code (Product catalog, Coupons), or remove PROMOTION_CODES.',
  };
}
