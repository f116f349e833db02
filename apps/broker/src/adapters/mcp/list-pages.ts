import { UpstreamError } from './upstream-error.ts';

export type ListLimits = {
  items: number;
  /** Of one item's JSON. */
  itemBytes: number;
  pages: number;
  tooMany: 'too_many_tools' | 'bad_upstream';
};

/** security.md, Limits: 512 tools a server, 64 KiB a definition. Prompts alike; resources are smaller and more. */
export const toolLimits: ListLimits = { items: 512, itemBytes: 64 * 1024, pages: 100, tooMany: 'too_many_tools' };
export const promptLimits: ListLimits = { ...toolLimits, tooMany: 'bad_upstream' };
export const resourceLimits: ListLimits = { ...promptLimits, items: 4096 };

/**
 * Walks a paginated list to its end, within bounds: one page is all that a hostile server can make us hold.
 * @param fetchPage takes the cursor of the page before (undefined at first)
 * @throws UpstreamError too_many_tools or bad_upstream when a bound is passed or the pages go in a circle
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
      const size = Buffer.byteLength(JSON.stringify(item));
      if (size > limits.itemBytes) {
        throw new UpstreamError('bad_upstream', `${what}: one of ${size} bytes, ${limits.itemBytes} are allowed`);
      }
      all.push(item);
    }
    // the specification has no empty cursor; servers send one at the end all the same
    if (nextCursor === undefined || nextCursor === '') return all;
    if (seen.has(nextCursor)) throw new UpstreamError('bad_upstream', `${what}: the pages go in a circle`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new UpstreamError('bad_upstream', `${what}: more than ${limits.pages} pages`);
}
