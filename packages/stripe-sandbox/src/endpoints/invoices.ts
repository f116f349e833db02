import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import { flag, id, listParameters, parameters, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest, noSuch, notImplemented } from '../api/stripe-error.ts';
import { finalizeInvoice } from '../money/invoices/invoice.ts';
import { payForCustomer } from '../money/invoices/pay-open-invoice.ts';
import { previewInvoice } from '../money/invoices/preview-invoice.ts';
import { withFirstLines } from '../objects/first-lines.ts';
import { markUncollectible, setAutoAdvance, voidInvoice } from '../money/invoices/stop-invoice.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { itemChange, prorationBehavior } from './subscriptions.ts';
import { findObject } from './object-routes.ts';

export const invoiceRoutes = [
  route(
    'GET',
    'invoices',
    listParameters({
      customer: id.optional(),
      subscription: id.optional(),
      status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']).optional(),
    }),
    async ({ work, given }) => {
      const { customer, subscription, status } = given;
      const parent = subscription === undefined ? {} : { parent: { subscription_details: { subscription } } };
      const { body = {} } = filter({ customer, status });
      const list = await listObjects(work, 'invoice', 'invoices', given, { body: { ...body, ...parent } });
      return { ...list, data: list.data.map(withFirstLines) };
    },
  ),
  route(
    'POST',
    'invoices/create_preview',
    parameters({
      customer: id.optional(),
      subscription: id,
      subscription_details: z
        .strictObject({
          items: z.array(itemChange).max(20).optional(),
          proration_behavior: prorationBehavior,
          proration_date: whole.optional(),
          cancel_at_period_end: flag.optional(),
        })
        .optional(),
    }),
    async ({ work, given }) => {
      const subscription = await findObject(work, 'subscription', given.subscription, 'subscription');
      if (given.customer !== undefined && given.customer !== subscription.body.customer) {
        throw noSuch('customer', given.customer, 'customer');
      }
      const { items, proration_behavior: proration, proration_date: at } = given.subscription_details ?? {};
      return previewInvoice(work, subscription, {
        items: items ?? [],
        proration: proration ?? 'create_prorations',
        at,
        isResumed: given.subscription_details?.cancel_at_period_end === false,
      });
    },
  ),
  route('GET', 'invoices/:id', parameters({}), async ({ work, id }) =>
    withFirstLines((await findObject(work, 'invoice', id)).body),
  ),
  route('GET', 'invoices/:id/lines', listParameters({}), async ({ work, given, id }) => {
    const { data } = (await findObject(work, 'invoice', id)).body.lines;
    const url = `/v1/invoices/${id}/lines`;
    return { object: 'list', data: data.slice(0, given.limit), has_more: data.length > given.limit, url };
  }),
  route('POST', 'invoices/:id', parameters({ auto_advance: flag }), async ({ work, given, id }) => {
    const row = await findObject(work, 'invoice', id);
    if (row.body.status !== 'draft' && row.body.status !== 'open')
      throw badRequest(`Finalized invoices can't be updated in this way: this one is ${row.body.status}.`);
    await enterTimeOf(work, row.body.customer);
    setAutoAdvance(work, row, given.auto_advance);
    return row.body;
  }),
  route('POST', 'invoices/:id/finalize', parameters({ auto_advance: flag.optional() }), async ({ work, given, id }) => {
    const row = await findObject(work, 'invoice', id);
    if (row.body.status !== 'draft') throw badRequest('This invoice is already finalized.');
    await enterTimeOf(work, row.body.customer);
    await finalizeInvoice(work, row, { usesBalance: true });
    if (given.auto_advance !== undefined) setAutoAdvance(work, row, given.auto_advance);
    return row.body;
  }),
  route(
    'POST',
    'invoices/:id/pay',
    parameters({ payment_method: id.optional(), paid_out_of_band: flag.optional(), off_session: flag.optional() }),
    async ({ work, given, id }) => {
      const row = await findObject(work, 'invoice', id);
      if (row.body.status === 'paid') throw badRequest('Invoice is already paid');
      if (row.body.status === 'draft') throw notImplemented('paying a draft: finalize it first');
      if (row.body.status === 'void') throw badRequest('This invoice is void and can no longer be paid.');
      const method =
        given.payment_method === undefined ? undefined : await work.get('payment_method', given.payment_method);
      if (given.payment_method !== undefined && method?.body.customer !== row.body.customer)
        throw noSuch('payment_method', given.payment_method, 'payment_method');
      await enterTimeOf(work, row.body.customer);
      await payForCustomer(work, row, { method, isOutOfBand: given.paid_out_of_band ?? false });
      return row.body;
    },
  ),
  route('POST', 'invoices/:id/mark_uncollectible', parameters({}), async ({ work, id }) => {
    const row = await findObject(work, 'invoice', id);
    if (row.body.status !== 'open')
      throw badRequest(`You can only pass in open invoices. This invoice isn't open: it is ${row.body.status}.`);
    await enterTimeOf(work, row.body.customer);
    await markUncollectible(work, row);
    return row.body;
  }),
  route('POST', 'invoices/:id/void', parameters({}), async ({ work, id }) => {
    const row = await findObject(work, 'invoice', id);
    if (row.body.status !== 'open' && row.body.status !== 'uncollectible')
      throw badRequest(`You can only pass in open invoices. This invoice isn't open: it is ${row.body.status}.`);
    await enterTimeOf(work, row.body.customer);
    await voidInvoice(work, row);
    return row.body;
  }),
];
