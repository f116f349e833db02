export const csvType = 'text/csv; charset=utf-8';

type Cell = string | number | null;

/** Spreadsheets take a cell that begins so for a formula, also behind spaces; the last four are their full-width forms. */
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/** The cells of a row by the name of their column. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/**
 * A table as CSV (RFC 4180), a piece for each page of rows: quoted texts, plain numbers, null as an empty cell. A text that a
 * spreadsheet would run as a formula begins with an apostrophe, which shows it as text: names come from servers, and files are
 * opened elsewhere.
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
