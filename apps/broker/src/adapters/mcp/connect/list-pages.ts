import { UpstreamError } from '../upstream-error.ts';

export type ListLimits = {
  items: number;
  pages: number;
  tooMany: 'too_many_tools' | 'bad_upstream';
};
export const toolLimits: ListLimits = { items: 512, pages: 100, tooMany: 'too_many_tools' };
export const promptLimits: ListLimits = { ...toolLimits, tooMany: 'bad_upstream' };
export const resourceLimits: ListLimits = { ...promptLimits, items: 4096 };

/**
 * Reads a paginated list to its end, within bounds: a hostile server can make us keep at most one page too many. A repeated
 * cursor ends the list.
 * @param emptyIsCursor whether '' is an ordinary cursor, as since 2026-07-28; some older servers send it on the last page
 * @param fetchPage takes the cursor of the previous page (undefined for the first page)
 * @throws UpstreamError too_many_tools or bad_upstream when a limit is exceeded
 */
export async function listPages<Item>(
  what: string,
  { limits, emptyIsCursor }: { limits: ListLimits; emptyIsCursor: boolean },
  fetchPage: (cursor: string | undefined) => Promise<{ items: Item[]; nextCursor?: string | undefined }>,
): Promise<Item[]> {
  const all: Item[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < limits.pages; page++) {
    const { items, nextCursor } = await fetchPage(cursor);
    for (const item of items) {
      if (all.length >= limits.items) {
        throw new UpstreamError(limits.tooMany, `${what}: more than ${limits.items}`);
      }
      all.push(item);
    }
    if (nextCursor === undefined || (nextCursor === '' && !emptyIsCursor) || seen.has(nextCursor)) return all;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new UpstreamError('bad_upstream', `${what}: more than ${limits.pages} pages`);
}
