import { ProtocolError } from '@modelcontextprotocol/server';

/** As many as one server may have tools: most clients never see a second page, and those that read one page see most. */
export const pageSize = 512;

/**
 * One page of a list. A cursor says which list it is of and where it goes on; clients treat it as opaque.
 * @throws ProtocolError -32602 for a cursor that this list never gave
 */
export function pageOf<Item>(
  list: string,
  items: readonly Item[],
  cursor: string | undefined,
): { items: Item[]; next: { nextCursor?: string } } {
  const start = cursor === undefined ? 0 : readCursor(list, cursor);
  if (start > items.length) throw invalidCursor();
  const end = start + pageSize;
  return {
    items: items.slice(start, end),
    next: end < items.length ? { nextCursor: Buffer.from(`${list} ${end}`).toString('base64url') } : {},
  };
}

function readCursor(list: string, cursor: string): number {
  const [name, position] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const start = Number(position);
  if (name !== list || !Number.isSafeInteger(start) || start <= 0 || start % pageSize !== 0) throw invalidCursor();
  return start;
}

function invalidCursor(): ProtocolError {
  return new ProtocolError(-32602, 'Invalid cursor');
}
