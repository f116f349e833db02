import type { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import { listParameters, parameters } from '../api/parameters.ts';
import { route, type Route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';
import type { Kind } from '../objects/types.ts';
import type { Row, Work } from '../work.ts';

/**
 * Reads an object by its id.
 * @param param parameter that names the id
 * @throws StripeError resource_missing
 */
export async function findObject<K extends Kind>(work: Work, kind: K, id: string, param = 'id'): Promise<Row<K>> {
  const row = await work.get(kind, id);
  if (!row) throw noSuch(kind.replace('test_helpers.', ''), id, param);
  return row;
}

export const readRoute = (kind: Kind, path: string): Route =>
  route('GET', `${path}/:id`, parameters({}), async ({ work, id }) => (await findObject(work, kind, id)).body);

type FilterName =
  | 'charge'
  | 'customer'
  | 'email'
  | 'invoice'
  | 'payment_intent'
  | 'status'
  | 'subscription'
  | 'test_clock';

/** Declares the endpoint that lists objects, filtered by fields of their bodies. */
export const listRoute = (
  kind: Kind,
  path: string,
  fields: { [Name in FilterName]?: z.ZodOptional<z.ZodType<string>> } = {},
): Route =>
  route('GET', path, listParameters(fields), ({ work, given }) => {
    const wanted = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
    return listObjects(work, kind, path, given, filter(Object.fromEntries(wanted)));
  });
