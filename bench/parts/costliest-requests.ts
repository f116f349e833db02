import { endpoints } from '../../apps/broker/src/openapi.ts';
import { adminRows } from './costliest/admin-rows.ts';
import { otherRows } from './costliest/other-rows.ts';
import { serverId, type Ask, type Row, type Shop } from './costliest/row.ts';
import { shopRows } from './costliest/shop-rows.ts';

export type { Ask, Shop } from './costliest/row.ts';

const rows: Readonly<Record<string, Row>> = { ...shopRows, ...adminRows, ...otherRows };

/**
 * Returns the most expensive legal request that we know for each route: the largest page, the longest period, the longest body.
 * A route without a row fails the walk (walk-endpoints.ts).
 */
export function costliestRequests(shop: Shop): Readonly<Record<string, { what: string; ask: (round: number) => Ask }>> {
  return Object.fromEntries(
    Object.entries(rows).map(([route, { what = '', ...row }]) => [
      route,
      { what, ask: (round: number) => requestOf(route, row, shop, round) },
    ]),
  );
}

function requestOf(route: string, { ask, ...fixed }: Omit<Row, 'what'>, shop: Shop, round: number): Ask {
  const { path = pathOf(route, shop), as = asOf(route), query, ...request } = { ...fixed, ...ask?.(shop, round) };
  const search = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { path: search.size === 0 ? path : `${path}?${search}`, as, ...request };
}

const unknownId = '00000000-0000-4000-8000-000000000000';

function pathOf(route: string, { personId }: Shop): string {
  const isOfUser = route.includes('/admin/users/:id');
  const isOfServer = route.includes('/admin/servers/:id');
  const values: Readonly<Record<string, string>> = {
    userId: personId,
    serverId,
    mcpId: serverId,
    serverName: encodeURIComponent(`localhost/${serverId}`),
    version: 'latest',
    kind: 'credits_low',
    entryId: '1',
    appId: 'a'.repeat(200),
    uid: 'unknown',
    id: isOfUser ? personId : isOfServer ? serverId : unknownId,
  };
  const [, path = ''] = route.split(' ');
  return path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => values[name] ?? unknownId);
}

/** Returns whose token the contract requires; routes outside it need none. */
function asOf(route: string): NonNullable<Ask['as']> {
  const access = endpoints.find(({ method, path }) => `${method} ${path}` === route)?.access ?? 'public';
  if (access === 'public') return 'visitor';
  return access === 'admin' ? 'admin' : 'person';
}
