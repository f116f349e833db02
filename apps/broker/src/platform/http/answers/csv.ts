export const csvType = 'text/csv; charset=utf-8';

type Cell = string | number | null;

/** Beginnings that spreadsheets treat as a formula, even after spaces; the last four are full-width forms. */
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/**
 * Writes a table as CSV (RFC 4180), one piece per page of rows: quoted texts, plain numbers, null as an empty cell. A text
 * that a spreadsheet would run as a formula gets an apostrophe, which shows it as text, because names come from servers.
 */
export async function* csvOf<Row>(
  columns: Columns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void> {
  const cells = Object.values(columns);
  let head: string | undefined = lineOf(Object.keys(columns));
  for await (const rows of pages) {
    yield [head, ...rows.map((row) => lineOf(cells.map((cell) => cell(row))))].join('');
    head = undefined;
  }
  if (head !== undefined) yield head;
}

const lineOf = (row: readonly Cell[]) => `${row.map(cellOf).join(',')}\r\n`;

function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return `"${(formula.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}
