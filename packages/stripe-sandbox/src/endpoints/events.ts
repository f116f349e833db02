import { z } from 'zod';
import { listObjects } from '../api/list.ts';
import { flag, listParameters, parameters } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';

const type = z.string().max(100);

export const eventRoutes = [
  route(
    'GET',
    'events',
    listParameters({
      type: type.optional(),
      types: z.array(type).max(20).optional(),
      delivery_success: flag.optional(),
    }),
    ({ work, given }) => {
      const types = given.types ?? (given.type === undefined ? undefined : [given.type]);
      return listObjects(work, 'event', 'events', given, {
        ...(types && { oneOf: { field: 'type', values: types } }),
        ...(given.delivery_success !== undefined && { memory: { delivered: given.delivery_success } }),
      });
    },
  ),
  route('GET', 'events/:id', parameters({}), async ({ work, id }) => {
    const row = await work.get('event', id);
    if (!row) throw noSuch('event', id);
    return row.body;
  }),
];
