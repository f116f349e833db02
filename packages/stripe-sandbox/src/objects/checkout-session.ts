import type { Work } from '../work.ts';
import { clockOf } from '../time/time-of-customer.ts';
import type { CheckoutSession, LineItem, Metadata } from './types.ts';

export type SessionGiven = {
  mode: 'payment' | 'subscription';
  items: LineItem[];
  /** Without them: all that the account has. */
  methods: string[] | undefined;
  success_url: string;
  cancel_url?: string | undefined;
  customer: string | null;
  customer_email?: string | undefined;
  client_reference_id?: string | undefined;
  metadata: Metadata;
  intentMetadata: Metadata;
  subscriptionMetadata: Metadata;
  /** Where a one-time payment gets an invoice. */
  invoice: { metadata: Metadata } | undefined;
  expiresAt: number;
  /** Beside the button that pays. */
  submitText: string | undefined;
  allowsCodes: boolean;
  asksTax: boolean;
  asksTaxId: boolean;
  addressCollection: 'auto' | 'required' | null;
  /** What the payer types that takes the place of what the customer has. */
  updates: { address: boolean; name: boolean };
};

/** What an account of the sandbox has: as in an account of Stripe with everything that it offers. */
const accountMethods = ['card', 'sepa_debit'];

/** An open session, whose page waits for a person. */
export async function addSession(work: Work, given: SessionGiven): Promise<CheckoutSession> {
  const { mode, items, customer } = given;
  const id = work.newId('checkout.session');
  const total = items.reduce((sum, item) => sum + item.amount_total, 0);
  const body: CheckoutSession = {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: given.allowsCodes || null,
    allowed_payment_method_types: given.methods ?? null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: given.asksTax
      ? { enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'requires_location_inputs' }
      : { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: given.addressCollection,
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
      submit: given.submitText === undefined ? null : { message: given.submitText },
      terms_of_service_acceptance: null,
    },
    customer,
    customer_account: null,
    customer_creation: mode === 'payment' && customer === null ? (given.invoice ? 'always' : 'if_required') : null,
    customer_details: null,
    customer_email: given.customer_email ?? null,
    discounts: [],
    expires_at: given.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: given.invoice !== undefined,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: given.invoice?.metadata ?? {},
              rendering_options: null,
            },
          }
        : null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: given.metadata,
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: mode === 'subscription' ? 'always' : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: given.methods ?? accountMethods,
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
    ...(given.asksTaxId && { tax_id_collection: { enabled: true, required: 'never' as const } }),
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${work.publicUrl}/dev-stripe/pay/${id}`,
    wallet_options: null,
  };
  const memory = {
    items,
    intentMetadata: given.intentMetadata,
    subscriptionMetadata: given.subscriptionMetadata,
    invoiceMetadata: given.invoice?.metadata ?? {},
    refusals: 0,
    intent: null,
    waiting: null,
    updates: given.updates,
  };
  work.add('checkout.session', body, memory, {
    timeline: await clockOf(work, customer),
    dueMs: given.expiresAt * 1000,
  });
  return body;
}
