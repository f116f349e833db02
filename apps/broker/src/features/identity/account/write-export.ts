import type { AccountContributor } from './account-contributors.ts';

const itemsOfPiece = 200;

/** Writes an export in pieces: it may be long, so no part of it is in memory as a whole. */
export async function* writeExport(
  contributors: readonly Pick<AccountContributor, 'name' | 'export'>[],
  userId: string,
  exportedAt: string,
): AsyncGenerator<string, void> {
  let before = `{"success":true,"exportedAt":${JSON.stringify(exportedAt)},"data":{`;
  for (const { name, export: read } of contributors) {
    const part = read(userId);
    const key = `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (Symbol.asyncIterator in part) yield* writeList(key, part);
    else yield* writeValue(key, await part);
  }
  yield '}}';
}

async function* writeValue(key: string, value: unknown): AsyncGenerator<string, void> {
  if (Array.isArray(value)) yield* writeList(key, [value]);
  else yield key + (JSON.stringify(value) ?? 'null');
}

async function* writeList(
  key: string,
  pages: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
): AsyncGenerator<string, void> {
  let before = `${key}[`;
  for await (const page of pages) {
    for (let at = 0; at < page.length; at += itemsOfPiece) {
      const items = page.slice(at, at + itemsOfPiece).map((item) => JSON.stringify(item));
      yield before + items.join(',');
      before = ',';
    }
  }
  yield before === ',' ? ']' : `${before}]`;
}
