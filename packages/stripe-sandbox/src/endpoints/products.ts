import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import { flag, id, listParameters, mergeMetadata, metadata, parameters, text } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { emit } from '../webhooks/emit-event.ts';
import { findObject, readRoute } from './object-routes.ts';

/** Product id chosen by the caller. */
const ownId = z.string().regex(/^[A-Za-z0-9_-]{1,250}$/, 'letters, digits, - and _');
const fields = {
  active: flag.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
};

export const productRoutes = [
  route(
    'POST',
    'products',
    parameters({ id: ownId.optional(), name: text.min(1), ...fields }),
    async ({ work, given }) => {
      if (given.id !== undefined && (await work.getAny(given.id))) {
        throw badRequest(`Product already exists: ${given.id}`, { code: 'resource_already_exists', param: 'id' });
      }
      const row = work.add(
        'product',
        {
          id: given.id ?? work.newId('product'),
          object: 'product',
          active: given.active ?? true,
          created: work.time,
          default_price: null,
          description: given.description || null,
          images: [],
          livemode: false,
          marketing_features: [],
          metadata: mergeMetadata({}, given.metadata),
          name: given.name,
          package_dimensions: null,
          shippable: null,
          statement_descriptor: null,
          tax_code: null,
          tax_details: null,
          type: 'service',
          unit_label: null,
          updated: work.time,
          url: null,
        },
        {},
      );
      emit(work, 'product.created', row.body);
      return row.body;
    },
  ),
  route(
    'GET',
    'products',
    listParameters({ active: flag.optional(), ids: z.array(id).max(100).optional() }),
    ({ work, given }) =>
      listObjects(work, 'product', 'products', given, {
        ...filter({ active: given.active }),
        ...(given.ids && { oneOf: { field: 'id', values: given.ids } }),
      }),
  ),
  readRoute('product', 'products'),
  route(
    'POST',
    'products/:id',
    parameters({ name: text.min(1).optional(), ...fields }),
    async ({ work, given, id }) => {
      const row = await findObject(work, 'product', id);
      const { body } = row;
      if (given.name !== undefined) body.name = given.name;
      if (given.active !== undefined) body.active = given.active;
      if (given.description !== undefined) body.description = given.description || null;
      body.metadata = mergeMetadata(body.metadata, given.metadata);
      body.updated = work.time;
      work.save(row);
      emit(work, 'product.updated', body);
      return body;
    },
  ),
];
