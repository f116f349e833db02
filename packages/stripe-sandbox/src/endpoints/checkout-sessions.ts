import { z } from 'zod';
import { id, listParameters, parameters } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { findCustomer } from './customers.ts';
import { expireSession } from '../money/checkout/expire-session.ts';
import { checkMethods } from '../objects/account.ts';
import { addSession } from '../objects/checkout-session.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import type { Row, Work } from '../work.ts';
import { toLineItems } from './line-items.ts';
import { findObject, listRoute, readRoute } from './object-routes.ts';
import { sessionParameters, type SessionParameters } from '../api/session-parameters.ts';

const daySeconds = 86_400;

export const checkoutSessionRoutes = [
  route('POST', 'checkout/sessions', sessionParameters, async ({ work, given }) => {
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
    return addSession(work, given, { items, expiresAt: checkExpiry(work, given.expires_at) });
  }),
  listRoute('checkout.session', 'checkout/sessions', {
    customer: id.optional(),
    payment_intent: id.optional(),
    subscription: id.optional(),
    status: z.enum(['open', 'complete', 'expired']).optional(),
  }),
  readRoute('checkout.session', 'checkout/sessions'),
  route('GET', 'checkout/sessions/:id/line_items', listParameters({}), async ({ work, id }) => ({
    object: 'list',
    data: (await findObject(work, 'checkout.session', id)).memory.items,
    has_more: false,
    url: `/v1/checkout/sessions/${id}/line_items`,
  })),
  route('POST', 'checkout/sessions/:id/expire', parameters({}), async ({ work, id }) => {
    const session = await findObject(work, 'checkout.session', id);
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

/** @throws StripeError if the customer was ever invoiced in another currency */
function checkCurrency(of: string | null, wanted: string | undefined): void {
  if (of === null || of === wanted) return;
  throw badRequest(
    `You cannot combine currencies on a single customer. This customer has had a subscription, invoice or invoice item with currency ${of}.`,
    { param: 'line_items' },
  );
}

/** @throws StripeError if an entered address or name would not be allowed to replace that of an existing customer */
function checkTax(given: SessionParameters, known: Row<'customer'> | undefined): void {
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
  // one minute for transmission
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
