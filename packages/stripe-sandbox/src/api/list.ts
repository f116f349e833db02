import type { Kind, Kinds } from '../objects/types.ts';
import type { List } from '../objects/wire.ts';
import type { Filter } from '../storage/storage.ts';
import type { Work } from '../work.ts';
import { noSuch } from './stripe-error.ts';

type Range = { gt?: number | undefined; gte?: number | undefined; lt?: number | undefined; lte?: number | undefined };
type Paging = {
  limit: number;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  created?: Range | number | undefined;
};

/** Returns a page of objects, newest first. */
export async function listObjects<K extends Kind>(
  work: Work,
  kind: K,
  url: string,
  paging: Paging,
  filter: Omit<Filter, 'limit'> = {},
): Promise<List<Kinds[K]>> {
  const { limit, starting_after: after, ending_before: before } = paging;
  if (after !== undefined && !(await work.get(kind, after))) throw noSuch(kind, after, 'starting_after');
  if (before !== undefined && !(await work.get(kind, before))) throw noSuch(kind, before, 'ending_before');
  const rows = await work.find(kind, {
    ...filter,
    ...toCreated(paging.created),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    limit: limit + 1,
  });
  const hasMore = rows.length > limit;
  // in a backward page, the extra row is the newest
  const page = before !== undefined && hasMore ? rows.slice(1) : rows.slice(0, limit);
  return { object: 'list', data: page.map((row) => row.body), has_more: hasMore, url: `/v1/${url}` };
}

function toCreated(created: Paging['created']): Pick<Filter, 'createdFrom' | 'createdUntil'> {
  if (created === undefined) return {};
  if (typeof created === 'number') return { createdFrom: created, createdUntil: created };
  const from = Math.max(created.gte ?? -Infinity, (created.gt ?? -Infinity) + 1);
  const until = Math.min(created.lte ?? Infinity, (created.lt ?? Infinity) - 1);
  return { ...(from > -Infinity && { createdFrom: from }), ...(until < Infinity && { createdUntil: until }) };
}

/** Returns a filter by the fields that have a value. */
export function given(fields: Record<string, unknown>): { body?: object } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? {} : { body: Object.fromEntries(entries) };
}
