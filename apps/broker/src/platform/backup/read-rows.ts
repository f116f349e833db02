import { quoted } from '../db/channels.ts';
import type { Query } from '../db/database.ts';
import { encodeRow } from './copy-text.ts';
import type { Table } from './list-tables.ts';

/** Rows that one answer of the database carries. */
const rowsAtOnce = 500;
/** A piece of a table in the archive has about this many bytes: what is in memory at once. */
const pieceBytes = 1024 * 1024;

/**
 * The rows of a table, in pieces of COPY text.
 * @param query of a snapshot, whose settings make each text one that the same type reads again: a cursor reads through it
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
