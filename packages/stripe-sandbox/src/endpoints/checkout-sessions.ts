import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import { flag, id, listParameters, mergeMetadata, metadata, parameters, webAddress, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest, noSuch } from '../api/stripe-error.ts';
import { findCustomer } from './customers.ts';
import { expireSession } from '../money/checkout/expire-session.ts';
import { checkMethods } from '../objects/account.ts';
import { addSession } from '../objects/checkout-session.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import type { Row, Work } from '../work.ts';
import { toLineItems } from './line-items.ts';

const lineItem = z.strictObject({ price: id, quantity: whole.pipe(z.number().min(1).max(999_999)).default(1) });
const daySeconds = 86_400;

export const checkoutSessionRoutes = [
  route(
    'POST',
    'checkout/sessions',
    parameters({
      mode: z.enum(['payment', 'subscription']),
      line_items: z.array(lineItem).min(1).max(20),
      success_url: webAddress,
      cancel_url: webAddress.optional(),
      customer: id.optional(),
      customer_email: z.string().max(512).optional(),
      client_reference_id: z.string().max(200).optional(),
      metadata: metadata.optional(),
      expires_at: whole.optional(),
      allowed_payment_method_types: z
        .array(z.enum(['card', 'sepa_debit']))
        .min(1)
        .optional(),
      allow_promotion_codes: flag.optional(),
      automatic_tax: z.strictObject({ enabled: flag }).optional(),
      billing_address_collection: z.enum(['auto', 'required']).optional(),
      customer_update: z
        .strictObject({ address: z.enum(['auto', 'never']).optional(), name: z.enum(['auto', 'never']).optional() })
        .optional(),
      tax_id_collection: z.strictObject({ enabled: flag }).optional(),
      adaptive_pricing: z.strictObject({ enabled: flag }).optional(),
      custom_text: z
        .strictObject({ submit: z.strictObject({ message: z.string().min(1).max(1200) }).optional() })
        .optional(),
      payment_intent_data: z.strictObject({ metadata: metadata.optional() }).optional(),
      subscription_data: z.strictObject({ metadata: metadata.optional() }).optional(),
      invoice_creation: z
        .strictObject({ enabled: flag, invoice_data: z.strictObject({ metadata: metadata.optional() }).optional() })
        .optional(),
    }),
    async ({ work, given }) => {
      const { mode, customer } = given;
      const known = customer === undefined ? undefined : await findCustomer(work, customer, 'customer');
      if (customer !== undefined && given.customer_email !== undefined) {
        throw badRequest('You may only specify one of these parameters: customer, customer_email.');
      }
      if (mode === 'payment' && given.subscription_data) throw wrongMode('subscription_data', 'subscription');
      if (mode === 'subscription' && given.payment_intent_data) throw wrongMode('payment_intent_data', 'payment');
      if (mode === 'subscription' && given.invoice_creation) throw wrongMode('invoice_creation', 'payment');
      checkTax(given, known);
      await checkMethods(work, given.allowed_payment_method_types, 'allowed_payment_method_types');
      await enterTimeOf(work, customer ?? null);
      const items = await toLineItems(work, mode, given.line_items);
      if (mode === 'subscription') checkCurrency(known?.body.currency ?? null, items[0]?.currency);
      return addSession(work, {
        ...given,
        methods: given.allowed_payment_method_types,
        items,
        submitText: given.custom_text?.submit?.message,
        expiresAt: checkExpiry(work, given.expires_at),
        customer: customer ?? null,
        allowsCodes: given.allow_promotion_codes ?? false,
        asksTax: given.automatic_tax?.enabled ?? false,
        asksTaxId: given.tax_id_collection?.enabled ?? false,
        addressCollection: given.billing_address_collection ?? null,
        updates: { address: given.customer_update?.address === 'auto', name: given.customer_update?.name === 'auto' },
        metadata: mergeMetadata({}, given.metadata),
        intentMetadata: mergeMetadata({}, given.payment_intent_data?.metadata),
        subscriptionMetadata: mergeMetadata({}, given.subscription_data?.metadata),
        invoice: given.invoice_creation?.enabled
          ? { metadata: mergeMetadata({}, given.invoice_creation.invoice_data?.metadata) }
          : undefined,
      });
    },
  ),
  route(
    'GET',
    'checkout/sessions',
    listParameters({
      customer: id.optional(),
      payment_intent: id.optional(),
      subscription: id.optional(),
      status: z.enum(['open', 'complete', 'expired']).optional(),
    }),
    ({ work, given }) => {
      const { customer, payment_intent, subscription, status } = given;
      const wanted = filter({ customer, payment_intent, subscription, status });
      return listObjects(work, 'checkout.session', 'checkout/sessions', given, wanted);
    },
  ),
  route('GET', 'checkout/sessions/:id', parameters({}), async ({ work, id }) => (await find(work, id)).body),
  route('GET', 'checkout/sessions/:id/line_items', listParameters({}), async ({ work, id }) => ({
    object: 'list',
    data: (await find(work, id)).memory.items,
    has_more: false,
    url: `/v1/checkout/sessions/${id}/line_items`,
  })),
  route('POST', 'checkout/sessions/:id/expire', parameters({}), async ({ work, id }) => {
    const session = await find(work, id);
    if (session.body.status !== 'open') {
      throw badRequest(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.body.status}\`.`,
      );
    }
    await enterTimeOf(work, session.body.customer);
    expireSession(work, session);
    return session.body;
  }),
];

async function find(work: Work, id: string): Promise<Row<'checkout.session'>> {
  const row = await work.get('checkout.session', id);
  if (!row) throw noSuch('checkout.session', id);
  return row;
}

/** A customer is invoiced in one currency for ever. */
function checkCurrency(of: string | null, wanted: string | undefined): void {
  if (of === null || of === wanted) return;
  throw badRequest(
    `You cannot combine currencies on a single customer. This customer has had a subscription, invoice or invoice item with currency ${of}.`,
    { param: 'line_items' },
  );
}

type TaxGiven = {
  automatic_tax?: { enabled: boolean } | undefined;
  tax_id_collection?: { enabled: boolean } | undefined;
  customer_update?: { address?: string | undefined; name?: string | undefined } | undefined;
};

/** Of a customer who is known, an address and a name that are typed have to be allowed to take the place of those. */
function checkTax(given: TaxGiven, known: Row<'customer'> | undefined): void {
  if (!known) {
    if (given.customer_update) throw badRequest('`customer_update` can only be used with `customer`.');
    return;
  }
  const isUpdated = (what: 'address' | 'name') => given.customer_update?.[what] === 'auto';
  if (given.automatic_tax?.enabled && !known.body.address && !isUpdated('address'))
    throw badRequest(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to `auto`.',
      { code: 'customer_tax_location_invalid' },
    );
  if (given.tax_id_collection?.enabled && !isUpdated('name'))
    throw badRequest(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    );
}

function wrongMode(param: string, mode: string) {
  return badRequest(`You can not pass \`${param}\` unless in \`${mode}\` mode.`, { param });
}

function checkExpiry(work: Work, expiresAt = work.time + daySeconds): number {
  // a minute for the way of the request
  if (expiresAt < work.time + 29 * 60) {
    throw badRequest('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', {
      param: 'expires_at',
    });
  }
  if (expiresAt > work.time + daySeconds + 60) {
    throw badRequest('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', {
      param: 'expires_at',
    });
  }
  return expiresAt;
}
