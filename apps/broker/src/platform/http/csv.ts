import type { FastifyReply } from 'fastify';

type Cell = string | number | null;

/** Spreadsheets take a cell that begins so for a formula, also behind spaces; the last four are their full-width forms. */
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/**
 * A table as CSV (RFC 4180): quoted texts, plain numbers, null as an empty cell. A text that a spreadsheet would run as a
 * formula begins with an apostrophe, which shows it as text: names come from servers, and files are opened elsewhere.
 */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return `"${(formula.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}

/** Makes the answer a file of one person that is saved, and stored nowhere on its way. @param name such as calls-2026-11-23.csv */
export function asCsvFile(reply: FastifyReply, name: string): void {
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store');
}
