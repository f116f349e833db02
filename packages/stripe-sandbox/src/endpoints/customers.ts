import { z } from 'zod';
import { id, mergeMetadata, metadata, parameters, text } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';
import { endSubscription } from '../money/subscriptions/subscription.ts';
import { addCustomer } from '../objects/customer.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';
import { findObject, listRoute } from './object-routes.ts';

const email = z.string().max(512);
const line = z
  .string()
  .max(200)
  .optional()
  .transform((text) => text || null);
const address = z.strictObject({
  country: z.string().regex(/^[A-Z]{2}$/, 'two capital letters'),
  postal_code: line,
  line1: line,
  line2: line,
  city: line,
  state: line,
});

export const customerRoutes = [
  route(
    'POST',
    'customers',
    parameters({
      email: email.optional(),
      name: text.max(256).optional(),
      description: text.optional(),
      metadata: metadata.optional(),
      test_clock: id.optional(),
    }),
    async ({ work, given }) => {
      const clock = given.test_clock;
      if (clock !== undefined) {
        const row = await findObject(work, 'test_helpers.test_clock', clock, 'test_clock');
        work.time = row.body.frozen_time;
      }
      return addCustomer(work, {
        email: given.email ?? null,
        name: given.name ?? null,
        description: given.description ?? null,
        metadata: mergeMetadata({}, given.metadata),
        testClock: clock ?? null,
      }).body;
    },
  ),
  listRoute('customer', 'customers', { email: email.optional(), test_clock: id.optional() }),
  route('GET', 'customers/:id', parameters({}), async ({ work, id }) => {
    const row = await findObject(work, 'customer', id);
    return row.memory.deleted ? deletedCustomer(id) : row.body;
  }),
  route('DELETE', 'customers/:id', parameters({}), async ({ work, id }) => {
    const row = await findCustomer(work, id);
    for (const one of await work.find('subscription', { body: { customer: id }, limit: 100 }))
      if (one.body.status !== 'canceled') endSubscription(work, one, 'cancellation_requested');
    row.memory.deleted = true;
    work.save(row);
    emit(work, 'customer.deleted', row.body);
    return deletedCustomer(id);
  }),
  route(
    'POST',
    'customers/:id',
    parameters({
      email: email.optional(),
      name: text.max(256).optional(),
      description: text.optional(),
      metadata: metadata.optional(),
      address: address.optional(),
      invoice_settings: z.strictObject({ default_payment_method: id }).optional(),
    }),
    async ({ work, given, id }) => {
      const row = await findCustomer(work, id);
      const { body } = row;
      // an empty text removes a value
      if (given.email !== undefined) body.email = given.email || null;
      if (given.name !== undefined) body.name = given.name || null;
      if (given.description !== undefined) body.description = given.description || null;
      body.metadata = mergeMetadata(body.metadata, given.metadata);
      if (given.address) body.address = given.address;
      const method = given.invoice_settings?.default_payment_method;
      if (method !== undefined) {
        const found = await work.get('payment_method', method);
        if (found?.body.customer !== id)
          throw noSuch('payment_method', method, 'invoice_settings[default_payment_method]');
        body.invoice_settings.default_payment_method = method;
      }
      work.save(row);
      emit(work, 'customer.updated', body);
      return body;
    },
  ),
];

/**
 * Finds a customer that is not deleted.
 * @param param parameter that names the id
 */
export async function findCustomer(work: Work, id: string, param = 'id'): Promise<Row<'customer'>> {
  const row = await work.get('customer', id);
  if (!row || row.memory.deleted) throw noSuch('customer', id, param);
  return row;
}

const deletedCustomer = (id: string) => ({ id, object: 'customer' as const, deleted: true });
