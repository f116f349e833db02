import { quoted } from '../db/channels.ts';
import type { Query } from '../db/database.ts';
import { encodeRow } from './copy-text.ts';
import type { Table } from './list-tables.ts';

/** Rows per answer of the database. */
const rowsAtOnce = 500;
/** Approximate size of a piece, which is in memory as a whole. */
const pieceBytes = 1024 * 1024;

/**
 * Reads the rows of a table with a cursor, in pieces of COPY text.
 * @param query of a snapshot, whose settings make every value's text readable by the same type
 */
export async function* readRows(
  query: Query,
  { name, columns }: Table,
): AsyncGenerator<{ bytes: Buffer; rows: number }> {
  const list = columns.map((column) => `${quoted(column.name)}::text`).join(', ');
  await query(`declare backup_rows no scroll cursor for select array[${list}] as values from ${name}`);
  try {
    let lines: string[] = [];
    let length = 0;
    for (;;) {
      const { rows } = await query<{ values: (string | null)[] }>(`fetch ${rowsAtOnce} from backup_rows`);
      for (const { values } of rows) {
        const line = encodeRow(values);
        lines.push(line);
        length += line.length;
        if (length < pieceBytes) continue;
        yield { bytes: Buffer.from(lines.join('')), rows: lines.length };
        lines = [];
        length = 0;
      }
      if (rows.length < rowsAtOnce) break;
    }
    if (lines.length > 0) yield { bytes: Buffer.from(lines.join('')), rows: lines.length };
  } finally {
    await query('close backup_rows');
  }
}
