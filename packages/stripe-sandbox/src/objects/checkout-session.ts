import { mergeMetadata } from '../api/parameters.ts';
import type { SessionParameters } from '../api/session-parameters.ts';
import { sumOf } from '../money/invoices/totals.ts';
import { clockOf } from '../time/time-of-customer.ts';
import type { Work } from '../work.ts';
import type { CheckoutSession, LineItem } from './types.ts';

/** Payment method types by default: all that the sandbox supports. */
const accountMethods = ['card', 'sepa_debit'];

/** Creates an open session, whose page waits for the payer. */
export async function addSession(
  work: Work,
  given: SessionParameters,
  { items, expiresAt }: { items: LineItem[]; expiresAt: number },
): Promise<CheckoutSession> {
  const { customer_update: updates } = given;
  const body = newSession(work, given, items, expiresAt);
  const memory = {
    items,
    intentMetadata: mergeMetadata({}, given.payment_intent_data?.metadata),
    subscriptionMetadata: mergeMetadata({}, given.subscription_data?.metadata),
    invoiceMetadata: body.invoice_creation?.invoice_data.metadata ?? {},
    refusals: 0,
    intent: null,
    waiting: null,
    updates: { address: updates?.address === 'auto', name: updates?.name === 'auto' },
  };
  work.add('checkout.session', body, memory, {
    timeline: await clockOf(work, body.customer),
    dueMs: expiresAt * 1000,
  });
  return body;
}

function newSession(work: Work, given: SessionParameters, items: LineItem[], expiresAt: number): CheckoutSession {
  const { mode, customer = null, allowed_payment_method_types: methods, invoice_creation: invoice } = given;
  const id = work.newId('checkout.session');
  const total = sumOf(items.map(({ amount_total: amount }) => amount));
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: given.allow_promotion_codes || null,
    allowed_payment_method_types: methods ?? null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: given.automatic_tax?.enabled
      ? { enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'requires_location_inputs' }
      : { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: work.time,
    currency: items[0]?.currency ?? '',
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: given.custom_text?.submit ?? null,
      terms_of_service_acceptance: null,
    },
    customer,
    customer_account: null,
    customer_creation: mode === 'payment' && customer === null ? (invoice?.enabled ? 'always' : 'if_required') : null,
    customer_details: null,
    customer_email: given.customer_email ?? null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: invoice?.enabled ?? false,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: mergeMetadata({}, invoice?.enabled ? invoice.invoice_data?.metadata : {}),
              rendering_options: null,
            },
          }
        : null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: mergeMetadata({}, given.metadata),
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: mode === 'subscription' ? 'always' : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: methods ?? accountMethods,
    payment_status: 'unpaid',
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: given.success_url,
    ...(given.tax_id_collection?.enabled && { tax_id_collection: { enabled: true, required: 'never' as const } }),
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${work.publicUrl}/dev-stripe/pay/${id}`,
    wallet_options: null,
  };
}
