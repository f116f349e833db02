import type { z } from 'zod';
import type { Work } from '../work.ts';

export type Call<Parameters> = {
  work: Work;
  given: Parameters;
  /** Id in the path; empty if it has none. */
  id: string;
};

export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path segments; `:id` stands for an id. */
  path: readonly string[];
  schema: z.ZodType;
  run(call: Call<unknown>): Promise<object>;
};

/** Declares an endpoint: its path, such as `customers/:id`, its parameters and its response. */
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
    // serve-api.ts validates the parameters against this schema
    run: (call) => run(call as Call<z.output<Schema>>),
  };
}

/** Returns the id in a matching path, empty if the route has none; undefined if the path does not match. */
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
