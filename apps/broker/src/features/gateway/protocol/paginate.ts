import { ProtocolError } from '@modelcontextprotocol/server';

/** The largest number of tools of one server: many clients read only the first page. */
export const pageSize = 512;

/**
 * Returns one page of a list. A cursor names its list and the next position; clients treat it as opaque.
 * @throws ProtocolError -32602 for a cursor that is not from this list
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
