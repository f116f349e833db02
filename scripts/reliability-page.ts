import { markdownTable } from '../bench/report/markdown-table.ts';

/** Result of a proof: a row of docs/reliability.md. */
export type Measured = {
  /** Name for `npm run prove`. */
  proof: string;
  holds: string;
  figures: readonly string[];
  machine: string;
  /** YYYY-MM-DD */
  date: string;
  commit: string;
};

const head = ['Proof', 'What holds', 'Measured', 'Machine', 'Date', 'Commit'];
const missing = ['not measured', '', '', ''];

const intro = `# Reliability

Each row is an invariant that Souk holds, and what a run at full size measured. \`npm run prove -- I3\` runs one on your machine, and
writes its row when it holds: figures, machine, date and commit. \`npm test\` runs the same tests in a short form.
`;

/**
 * Returns the page with the row of one proof replaced, and the current descriptions in all rows.
 * @param page current page; undefined if there is none
 * @param known every proof, in row order
 */
export function reliabilityPage(
  page: string | undefined,
  known: Readonly<Record<string, { description: string }>>,
  measured: Measured,
): string {
  const before = new Map((page ?? '').split('\n').map((line) => [cellsOf(line)[0], cellsOf(line)]));
  const rows = Object.entries(known).map(([name, { description }]) => {
    if (name === measured.proof) return rowOf(measured);
    const [, , ...figures] = before.get(name) ?? [];
    return [name, description, ...(figures.length === missing.length ? figures : missing)];
  });
  return `${intro}\n${markdownTable(head, rows)}\n`;
}

function rowOf({ proof, holds, figures, machine, date, commit }: Measured): string[] {
  return [proof, holds, figures.join('; '), machine, date, commit].map((cell) => cell.replace(/[|\n]/g, ' '));
}

function cellsOf(line: string): string[] {
  if (!line.startsWith('| ')) return [];
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}
