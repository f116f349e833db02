import { UpstreamError } from '../upstream-error.ts';

export type ListLimits = {
  items: number;
  pages: number;
  tooMany: 'too_many_tools' | 'bad_upstream';
};

/** security.md, Limits: 512 tools a server. The same for prompts; resources are more. */
export const toolLimits: ListLimits = { items: 512, pages: 100, tooMany: 'too_many_tools' };
export const promptLimits: ListLimits = { ...toolLimits, tooMany: 'bad_upstream' };
export const resourceLimits: ListLimits = { ...promptLimits, items: 4096 };

/**
 * Reads a paginated list to its end, within bounds: a hostile server can make us keep at most one page too many.
 * @param fetchPage takes the cursor that the previous page gave (undefined for the first page)
 * @throws UpstreamError too_many_tools or bad_upstream when a limit is exceeded or a cursor repeats
 */
export async function listPages<Item>(
  what: string,
  limits: ListLimits,
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
    // the specification has no empty cursor, but some servers send one on the last page
    if (nextCursor === undefined || nextCursor === '') return all;
    if (seen.has(nextCursor)) throw new UpstreamError('bad_upstream', `${what}: a cursor repeats`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new UpstreamError('bad_upstream', `${what}: more than ${limits.pages} pages`);
}
