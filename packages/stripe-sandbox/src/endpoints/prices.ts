import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import {
  amount,
  flag,
  id,
  listParameters,
  mergeMetadata,
  metadata,
  parameters,
  text,
  whole,
} from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { checkPrice } from '../money/currencies.ts';
import type { Recurring } from '../objects/types.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Work } from '../work.ts';
import { findObject, readRoute } from './object-routes.ts';

const lookupKey = z.string().min(1).max(200);
const recurring = z.strictObject({
  interval: z.enum(['day', 'week', 'month', 'year']),
  interval_count: whole.pipe(z.number().min(1).max(156)).default(1),
});
const fields = {
  active: flag.optional(),
  lookup_key: lookupKey.optional(),
  transfer_lookup_key: flag.default(false),
  metadata: metadata.optional(),
  nickname: text.optional(),
  tax_behavior: z.enum(['exclusive', 'unspecified']).optional(),
};

export const priceRoutes = [
  route(
    'POST',
    'prices',
    parameters({
      product: id,
      currency: z.string().regex(/^[A-Za-z]{3}$/, 'Invalid currency'),
      unit_amount: amount,
      recurring: recurring.optional(),
      ...fields,
    }),
    async ({ work, given }) => {
      await findObject(work, 'product', given.product, 'product');
      checkPrice(given.currency.toLowerCase(), given.unit_amount);
      await takeLookupKey(work, given.lookup_key, given.transfer_lookup_key);
      const row = work.add(
        'price',
        {
          id: work.newId('price'),
          object: 'price',
          active: given.active ?? true,
          billing_scheme: 'per_unit',
          created: work.time,
          currency: given.currency.toLowerCase(),
          custom_unit_amount: null,
          livemode: false,
          lookup_key: given.lookup_key ?? null,
          metadata: mergeMetadata({}, given.metadata),
          nickname: given.nickname ?? null,
          product: given.product,
          recurring: given.recurring ? toRecurring(given.recurring) : null,
          tax_behavior: given.tax_behavior ?? 'unspecified',
          tiers_mode: null,
          transform_quantity: null,
          type: given.recurring ? 'recurring' : 'one_time',
          unit_amount: given.unit_amount,
          unit_amount_decimal: String(given.unit_amount),
        },
        {},
      );
      emit(work, 'price.created', row.body);
      return row.body;
    },
  ),
  route(
    'GET',
    'prices',
    listParameters({
      active: flag.optional(),
      product: id.optional(),
      type: z.enum(['one_time', 'recurring']).optional(),
      lookup_keys: z.array(lookupKey).max(10).optional(),
    }),
    ({ work, given }) => {
      const { active, product, type, lookup_keys: keys } = given;
      return listObjects(work, 'price', 'prices', given, {
        ...filter({ active, product, type }),
        ...(keys && { oneOf: { field: 'lookup_key', values: keys } }),
      });
    },
  ),
  readRoute('price', 'prices'),
  route('POST', 'prices/:id', parameters(fields), async ({ work, given, id }) => {
    const row = await findObject(work, 'price', id);
    const { body } = row;
    if (given.lookup_key !== undefined && given.lookup_key !== body.lookup_key) {
      await takeLookupKey(work, given.lookup_key, given.transfer_lookup_key);
      body.lookup_key = given.lookup_key;
    }
    const behavior = given.tax_behavior ?? body.tax_behavior;
    if (behavior !== body.tax_behavior && body.tax_behavior !== 'unspecified')
      throw badRequest('The tax behavior of this price is set, and cannot be changed.', { param: 'tax_behavior' });
    body.tax_behavior = behavior;
    if (given.active !== undefined) body.active = given.active;
    if (given.nickname !== undefined) body.nickname = given.nickname || null;
    body.metadata = mergeMetadata(body.metadata, given.metadata);
    work.save(row);
    emit(work, 'price.updated', body);
    return body;
  }),
];

/** Frees a lookup key, which belongs to one price and is transferred only on request. */
async function takeLookupKey(work: Work, key: string | undefined, transfer: boolean): Promise<void> {
  if (key === undefined) return;
  const [owner] = await work.find('price', { body: { lookup_key: key }, limit: 1 });
  if (!owner) return;
  if (!transfer) {
    throw badRequest(`A price (\`${owner.id}\`) already uses that lookup key.`, { param: 'lookup_key' });
  }
  owner.body.lookup_key = null;
  work.save(owner);
  emit(work, 'price.updated', owner.body, { lookup_key: key });
}

function toRecurring({ interval, interval_count }: z.output<typeof recurring>): Recurring {
  return { interval, interval_count, meter: null, trial_period_days: null, usage_type: 'licensed' };
}
