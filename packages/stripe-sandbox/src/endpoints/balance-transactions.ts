import { z } from 'zod';
import { listObjects } from '../api/list.ts';
import { listParameters, mergeMetadata, metadata, parameters, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { setBalance } from '../money/balance.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { findCustomer } from './customers.ts';

/** Changes of a customer's balance by the account owner. Changes by invoices are not recorded. */
export const balanceTransactionRoutes = [
  route(
    'POST',
    'customers/:id/balance_transactions',
    parameters({
      amount: whole,
      currency: z.string().length(3),
      description: z.string().max(350).optional(),
      metadata: metadata.optional(),
    }),
    async ({ work, given, id }) => {
      const customer = await findCustomer(work, id);
      const currency = given.currency.toLowerCase();
      if (customer.body.currency !== null && customer.body.currency !== currency)
        throw badRequest(`The customer's balance is in ${customer.body.currency}.`, { param: 'currency' });
      await enterTimeOf(work, id);
      customer.body.currency = currency;
      setBalance(work, customer, customer.body.balance + given.amount);
      return work.add(
        'customer_balance_transaction',
        {
          id: work.newId('customer_balance_transaction'),
          object: 'customer_balance_transaction',
          amount: given.amount,
          checkout_session: null,
          created: work.time,
          credit_note: null,
          currency,
          customer: id,
          customer_account: null,
          description: given.description ?? null,
          ending_balance: customer.body.balance,
          invoice: null,
          livemode: false,
          metadata: mergeMetadata({}, given.metadata),
          type: 'adjustment',
        },
        {},
      ).body;
    },
  ),
  route('GET', 'customers/:id/balance_transactions', listParameters({}), async ({ work, given, id }) => {
    await findCustomer(work, id);
    const url = `customers/${id}/balance_transactions`;
    return listObjects(work, 'customer_balance_transaction', url, given, { body: { customer: id } });
  }),
];
