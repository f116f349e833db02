import { given as filter, listObjects } from '../api/list.ts';
import { id, listParameters, parameters } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';

/** What was paid: read here, made by checkout, renewals and changes. */
export const paymentRoutes = [
  route('GET', 'payment_intents', listParameters({ customer: id.optional() }), ({ work, given }) =>
    listObjects(work, 'payment_intent', 'payment_intents', given, filter({ customer: given.customer })),
  ),
  route('GET', 'payment_intents/:id', parameters({}), async ({ work, id }) => {
    const row = await work.get('payment_intent', id);
    if (!row) throw noSuch('payment_intent', id);
    return row.body;
  }),
  route(
    'GET',
    'charges',
    listParameters({ customer: id.optional(), payment_intent: id.optional() }),
    ({ work, given }) => {
      const { customer, payment_intent } = given;
      return listObjects(work, 'charge', 'charges', given, filter({ customer, payment_intent }));
    },
  ),
  route('GET', 'charges/:id', parameters({}), async ({ work, id }) => {
    const row = await work.get('charge', id);
    if (!row) throw noSuch('charge', id);
    return row.body;
  }),
  route('GET', 'invoice_payments', listParameters({ invoice: id.optional() }), ({ work, given }) =>
    listObjects(work, 'invoice_payment', 'invoice_payments', given, filter({ invoice: given.invoice })),
  ),
  route('GET', 'invoice_payments/:id', parameters({}), async ({ work, id }) => {
    const row = await work.get('invoice_payment', id);
    if (!row) throw noSuch('invoice_payment', id);
    return row.body;
  }),
];
