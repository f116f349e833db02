import { z } from 'zod';
import { listObjects } from '../api/list.ts';
import { flag, listParameters } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { readRoute } from './object-routes.ts';

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
  readRoute('event', 'events'),
];
