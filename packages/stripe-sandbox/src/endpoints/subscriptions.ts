import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import { flag, id, listParameters, mergeMetadata, metadata, parameters, text, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest, noSuch } from '../api/stripe-error.ts';
import { checkMethods } from '../objects/account.ts';
import { changeSubscription } from '../money/subscriptions/change-subscription.ts';
import { endSubscription } from '../money/subscriptions/subscription.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { findObject, readRoute } from './object-routes.ts';

/** Change of an item. Its other fields are not implemented. */
export const itemChange = z.strictObject({
  id: id.optional(),
  price: id.optional(),
  quantity: whole.pipe(z.number().min(1).max(999_999)).optional(),
});
export const prorationBehavior = z.enum(['always_invoice', 'create_prorations', 'none']).default('create_prorations');

const paymentSettings = z.strictObject({
  save_default_payment_method: z.enum(['off', 'on_subscription']).optional(),
  payment_method_types: z
    .array(z.enum(['card', 'sepa_debit']))
    .min(1)
    .optional(),
});

const pauseCollection = z.strictObject({ behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']) });

const statuses = ['active', 'past_due', 'unpaid', 'paused', 'canceled'] as const;
const listedStatus = z.enum([...statuses, 'all', 'ended']);

export const subscriptionRoutes = [
  route(
    'GET',
    'subscriptions',
    listParameters({ customer: id.optional(), status: listedStatus.optional() }),
    ({ work, given }) =>
      listObjects(work, 'subscription', 'subscriptions', given, {
        ...filter({ customer: given.customer }),
        oneOf: { field: 'status', values: statusesOf(given.status) },
      }),
  ),
  readRoute('subscription', 'subscriptions'),
  route(
    'POST',
    'subscriptions/:id',
    parameters({
      cancel_at_period_end: flag.optional(),
      cancel_at: z.union([z.literal(''), whole]).optional(),
      default_payment_method: id.optional(),
      payment_settings: paymentSettings.optional(),
      pause_collection: z.union([z.literal(''), pauseCollection]).optional(),
      metadata: metadata.optional(),
      items: z.array(itemChange).max(20).optional(),
      proration_behavior: prorationBehavior,
      proration_date: whole.optional(),
      payment_behavior: z
        .enum(['allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete'])
        .default('allow_incomplete'),
    }),
    async ({ work, given, id }) => {
      const subscription = await findObject(work, 'subscription', id);
      if (subscription.body.status === 'canceled') {
        throw badRequest('A canceled subscription can only update its cancellation_details and metadata.');
      }
      await enterTimeOf(work, subscription.body.customer);
      const { cancel_at: cancelAt, default_payment_method: method } = given;
      if (cancelAt !== undefined && given.cancel_at_period_end !== undefined)
        throw badRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
      const found = method === undefined ? undefined : await work.get('payment_method', method);
      if (method !== undefined && found?.body.customer !== subscription.body.customer)
        throw badRequest(
          `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`,
          { param: 'default_payment_method' },
        );
      await checkMethods(work, given.payment_settings?.payment_method_types, 'payment_settings[payment_method_types]');
      const { pause_collection: pause } = given;
      await changeSubscription(work, subscription, {
        cancelAtPeriodEnd: given.cancel_at_period_end,
        cancelAt: cancelAt === '' ? null : cancelAt,
        defaultPaymentMethod: method,
        paymentSettings: given.payment_settings,
        pauseCollection: pause === '' ? null : pause && { ...pause, resumes_at: null },
        metadata: given.metadata && mergeMetadata(subscription.body.metadata, given.metadata),
        items: given.items,
        proration: given.proration_behavior,
        prorationDate: given.proration_date,
        payment: given.payment_behavior,
      });
      return subscription.body;
    },
  ),
  route(
    'DELETE',
    'subscriptions/:id',
    parameters({ cancellation_details: z.strictObject({ comment: text.optional() }).optional() }),
    async ({ work, given, id }) => {
      const subscription = await findObject(work, 'subscription', id);
      if (subscription.body.status === 'canceled') throw noSuch('subscription', id);
      await enterTimeOf(work, subscription.body.customer);
      endSubscription(work, subscription, 'cancellation_requested', given.cancellation_details?.comment);
      return subscription.body;
    },
  ),
];

/** Returns the statuses to list; by default all except canceled. */
function statusesOf(status: z.output<typeof listedStatus> | undefined): readonly string[] {
  if (status === 'all') return statuses;
  if (status === 'ended') return ['canceled'];
  return status === undefined ? statuses.filter((one) => one !== 'canceled') : [status];
}
