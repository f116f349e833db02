import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import { id, listParameters, mergeMetadata, metadata, parameters, text } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';
import { addCustomer } from '../objects/customer.ts';
import { emit } from '../webhooks/emit-event.ts';

const email = z.string().max(512);

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
        const row = await work.get('test_helpers.test_clock', clock);
        if (!row) throw noSuch('test_clock', clock, 'test_clock');
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
  route('GET', 'customers', listParameters({ email: email.optional(), test_clock: id.optional() }), ({ work, given }) =>
    listObjects(work, 'customer', 'customers', given, filter({ email: given.email, test_clock: given.test_clock })),
  ),
  route('GET', 'customers/:id', parameters({}), async ({ work, id }) => {
    const row = await work.get('customer', id);
    if (!row) throw noSuch('customer', id);
    return row.body;
  }),
  route(
    'POST',
    'customers/:id',
    parameters({
      email: email.optional(),
      name: text.max(256).optional(),
      description: text.optional(),
      metadata: metadata.optional(),
    }),
    async ({ work, given, id }) => {
      const row = await work.get('customer', id);
      if (!row) throw noSuch('customer', id);
      const { body } = row;
      // an empty text removes a value
      if (given.email !== undefined) body.email = given.email || null;
      if (given.name !== undefined) body.name = given.name || null;
      if (given.description !== undefined) body.description = given.description || null;
      body.metadata = mergeMetadata(body.metadata, given.metadata);
      work.save(row);
      emit(work, 'customer.updated', body);
      return body;
    },
  ),
];
