import { z } from 'zod';
import { amount, id, mergeMetadata, metadata, parameters } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';
import { findObject, listRoute, readRoute } from './object-routes.ts';

export const refundRoutes = [
  route(
    'POST',
    'refunds',
    parameters({
      payment_intent: id.optional(),
      charge: id.optional(),
      amount: amount.pipe(z.number().min(1)).optional(),
      reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
      metadata: metadata.optional(),
    }),
    async ({ work, given }) => {
      const charge = await findCharge(work, given);
      await enterTimeOf(work, charge.body.customer);
      const refunded = checkAmount(charge, given.amount);
      charge.body.amount_refunded += refunded;
      charge.body.refunded = charge.body.amount_refunded === charge.body.amount;
      work.save(charge);
      const refund = work.add(
        'refund',
        {
          id: work.newId('refund'),
          object: 'refund',
          amount: refunded,
          balance_transaction: null,
          charge: charge.id,
          created: work.time,
          currency: charge.body.currency,
          customer: charge.body.customer,
          customer_account: null,
          metadata: mergeMetadata({}, given.metadata),
          payment_intent: charge.body.payment_intent,
          payment_method: charge.body.payment_method,
          reason: given.reason ?? null,
          receipt_number: null,
          source_transfer_reversal: null,
          status: 'succeeded',
          transfer_reversal: null,
        },
        {},
      );
      emit(work, 'refund.created', refund.body);
      emit(work, 'charge.refunded', charge.body);
      return refund.body;
    },
  ),
  listRoute('refund', 'refunds', { charge: id.optional(), payment_intent: id.optional() }),
  readRoute('refund', 'refunds'),
];

async function findCharge(
  work: Work,
  given: { charge?: string | undefined; payment_intent?: string | undefined },
): Promise<Row<'charge'>> {
  if (given.charge !== undefined) return findObject(work, 'charge', given.charge, 'charge');
  if (given.payment_intent === undefined) {
    throw badRequest('One of the following params should be provided for this request: payment_intent or charge.');
  }
  const intent = await findObject(work, 'payment_intent', given.payment_intent, 'payment_intent');
  if (intent.body.status !== 'succeeded' || intent.body.latest_charge === null) {
    throw badRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
  }
  return work.need('charge', intent.body.latest_charge);
}

function checkAmount({ id, body }: Row<'charge'>, wanted: number | undefined): number {
  const left = body.amount - body.amount_refunded;
  if (!body.paid) throw badRequest(`Charge ${id} has not been paid.`);
  if (body.disputed) {
    throw badRequest(`Charge ${id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
  }
  if (left === 0) {
    throw badRequest(`Charge ${id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  if ((wanted ?? left) > left) {
    throw badRequest(`Refund amount (${wanted}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    });
  }
  return wanted ?? left;
}
