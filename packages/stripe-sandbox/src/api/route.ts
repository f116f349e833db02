import type { z } from 'zod';
import type { Work } from '../work.ts';

export type Call<Parameters> = {
  work: Work;
  given: Parameters;
  /** The id in the address; empty where there is none. */
  id: string;
};

export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  /** With `:id` in the place of an id. */
  path: readonly string[];
  schema: z.ZodType;
  run(call: Call<unknown>): Promise<object>;
};

/** One endpoint: `/v1/customers/:id`, the parameters that it knows, and what it answers. */
export function route<Schema extends z.ZodType>(
  method: Route['method'],
  path: string,
  schema: Schema,
  run: (call: Call<z.output<Schema>>) => Promise<object>,
): Route {
  return {
    method,
    path: path.split('/'),
    schema,
    // serve-api.ts checks the parameters against this very schema
    run: (call) => run(call as Call<z.output<Schema>>),
  };
}

/** The id in an address that is the route's; empty where the route has none, undefined for another address. */
export function matchRoute(route: Route, method: string, address: readonly string[]): string | undefined {
  if (route.method !== method || route.path.length !== address.length) return undefined;
  let id = '';
  for (const [index, part] of route.path.entries()) {
    const given = address[index] ?? '';
    if (part === ':id' && isId.test(given)) id = given;
    else if (part !== given) return undefined;
  }
  return id;
}

const isId = /^[A-Za-z0-9_-]{1,255}$/;
