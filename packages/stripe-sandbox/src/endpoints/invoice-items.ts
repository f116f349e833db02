import { z } from 'zod';
import { id, parameters, text, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest, noSuch } from '../api/stripe-error.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { findCustomer } from './customers.ts';

export const invoiceItemRoutes = [
  route(
    'POST',
    'invoiceitems',
    parameters({
      customer: id,
      amount: whole,
      currency: z.string().regex(/^[a-z]{3}$/, 'Invalid currency'),
      description: text.optional(),
      subscription: id.optional(),
    }),
    async ({ work, given }) => {
      const customer = await findCustomer(work, given.customer, 'customer');
      const { subscription, amount, currency } = given;
      if (subscription !== undefined && (await work.get('subscription', subscription))?.body.customer !== customer.id)
        throw noSuch('subscription', subscription, 'subscription');
      if (customer.body.currency !== null && customer.body.currency !== currency)
        throw badRequest(`You cannot combine currencies on a single customer: ${customer.body.currency}.`);
      await enterTimeOf(work, customer.id);
      const parent = subscription === undefined ? null : { subscription, subscription_item: null };
      return work.add(
        'invoiceitem',
        {
          id: work.newId('invoiceitem'),
          object: 'invoiceitem',
          amount,
          currency,
          customer: customer.id,
          customer_account: null,
          date: work.time,
          description: given.description ?? null,
          discountable: true,
          discounts: [],
          invoice: null,
          livemode: false,
          metadata: {},
          parent: parent && {
            type: 'subscription_details',
            subscription_details: { subscription: parent.subscription },
          },
          period: { start: work.time, end: work.time },
          pricing: null,
          proration: false,
          quantity: 1,
          quantity_decimal: '1',
          tax_rates: [],
          test_clock: customer.body.test_clock,
        },
        {},
      ).body;
    },
  ),
];
