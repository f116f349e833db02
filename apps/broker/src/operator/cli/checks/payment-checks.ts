import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { stripeWebhookPath } from '#adapters/stripe/stripe-sandbox.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { webhookEvents } from '#adapters/stripe/webhook-events.ts';
import type { Finding } from './payment-finding.ts';
import { examineCodes, examineTax } from './tax-checks.ts';

/** What Souk depends on in the account of the payment provider, and its API does not tell. docs/payments.md says why. */
const byHand = [
  'after the last retry of a failed renewal, subscriptions are canceled and their invoices left as they are (Billing, Revenue recovery, Retries)',
  'no subscription is paused after a failed payment (the same page)',
  'customers are not limited to one subscription (Settings, Payments, Checkout)',
  'the customer portal is switched on with "update payment methods", and without switching plans, changing quantities, pausing and canceling (Settings, Billing, Customer portal)',
  'a dispute leaves its subscription as it is (Billing, Subscriptions, Manage disputed payments)',
  'customers are sent receipts and failed payments by e-mail (Settings, Emails)',
  'events are sent as snapshots, not thin (Developers, Webhooks)',
];

/**
 * Examines the account of the payment provider, as far as its API tells: what it says of the webhook, of charges and of cards.
 * Never throws for what it finds.
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
    ['payments-webhook', 'The payment provider tells us what happens', () => examineWebhook(provider, webhookUrl)],
    [
      'payments-methods',
      'What the shop takes is switched on at the payment provider',
      () => examineMethods(provider, paymentMethods),
    ],
    ['payments-cards', 'A card that pays an open invoice is kept', () => examineCards(provider)],
    ...asked,
  ];
  const results: ConnectionCheck[] = [];
  for (const [id, name, run] of parts) {
    const { advice, ...finding } = await run().catch(unreadable);
    results.push({ id, name, ...finding, advice: advice ?? null });
  }
  results.push({
    id: 'payments-by-hand',
    name: 'Settings of the payment provider that its API does not tell',
    status: 'warned',
    detail: 'Check them by hand.',
    advice: byHand.join('; '),
  });
  return results;
}

const unreadable = (error: unknown): Finding => ({
  status: 'failed',
  detail: `The payment provider does not answer this: ${causeOf(error)}`,
  advice: 'Look at STRIPE_SECRET_KEY, and at what a restricted key may read (docs/payments.md).',
});

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

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
      detail: `No endpoint with the address ${url} is switched on.`,
      advice: 'Add it, with the events of docs/payments.md, and set its secret as STRIPE_WEBHOOK_SECRET.',
    };
  const told = new Set(ours.flatMap(({ enabled_events: events }) => events));
  const missing = told.has('*') ? [] : webhookEvents.filter((type) => !told.has(type));
  if (missing.length === 0) return { status: 'passed', detail: `${url} is told all ${webhookEvents.length} events.` };
  return {
    status: 'failed',
    detail: `${url} is not told: ${missing.join(', ')}.`,
    advice: 'Add these events to the endpoint.',
  };
}

/** A session or a subscription that names a method which is switched off is refused. */
async function examineMethods(provider: PaymentProvider, methods: readonly string[]): Promise<Finding> {
  const { data } = await provider.call((stripe) => stripe.paymentMethodConfigurations.list({ limit: 100 }));
  const usual = data.find((one) => one.is_default && one.application === null);
  if (!usual) return { status: 'warned', detail: 'The account tells no payment methods: check them by hand.' };
  const off = methods.filter((name) => {
    const state: unknown = Reflect.get(usual, name);
    return !(typeof state === 'object' && state !== null && 'available' in state && state.available === true);
  });
  if (off.length === 0) return { status: 'passed', detail: `The account takes ${methods.join(', ')}.` };
  return {
    status: 'failed',
    detail: `The account does not take ${off.join(', ')}.`,
    advice: 'Switch it on (Settings, Payments, Payment methods), or take it out of PAYMENT_METHODS.',
  };
}

/** Souk sets each subscription to keep the card: this covers what was begun before, and other invoices. */
async function examineCards(provider: PaymentProvider): Promise<Finding> {
  const { settings } = await provider.call((stripe) => stripe.accounts.retrieveCurrent());
  const saves = settings?.invoices?.hosted_payment_method_save ?? 'never';
  if (saves === 'always') return { status: 'passed', detail: 'The account saves what pays an invoice on its page.' };
  return {
    status: 'passed',
    detail: `The account saves it ${saves === 'offer' ? 'where the customer ticks a box' : 'never'}; Souk sets each subscription to keep it.`,
  };
}
