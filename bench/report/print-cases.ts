import type { CaseResult, TargetResult } from '../measure-case.ts';

const columns: readonly [heading: string, value: (result: TargetResult) => string][] = [
  ['target', ({ target }) => target],
  ['calls/s', ({ callsPerSecond }) => String(callsPerSecond)],
  ['ratio', ({ ratio }) => ratio.toFixed(3)],
  ['p50 ms', ({ p50Ms }) => p50Ms.toFixed(2)],
  ['p99 ms', ({ p99Ms }) => p99Ms.toFixed(2)],
  ['+p50', ({ addedP50Ms }) => addedP50Ms.toFixed(2)],
  ['+p99', ({ addedP99Ms }) => addedP99Ms.toFixed(2)],
  ['CPU ms/call', ({ cpuMsPerCall }) => cpuMsPerCall?.toFixed(3) ?? '-'],
  ['+database', ({ databaseCpuMsPerCall }) => databaseCpuMsPerCall?.toFixed(3) ?? '-'],
  ['peak MB', ({ peakMemoryMb }) => String(peakMemoryMb ?? '-')],
  ['bad', ({ errors, wrongAnswers }) => String(errors + wrongAnswers)],
];

/** Formats all cases as one table, with a block for each. */
export function formatCases(cases: readonly CaseResult[]): string {
  const rows = cases.map(({ targets }) => targets.map((result) => columns.map(([, value]) => value(result))));
  const headings = columns.map(([heading]) => heading);
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.flat().map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const blocks = cases.map(({ upstream, era, clients, coreSpeed, loadAverage }, index) => {
    const title = `${upstream} upstream, ${era} era, ${clients} client${clients === 1 ? '' : 's'}`;
    const conditions = `(core speed ${coreSpeed}, load ${loadAverage})`;
    return [`${title}  ${conditions}`, ...(rows[index] ?? []).map(line)].join('\n');
  });
  return [line(headings), ...blocks].join('\n\n');
}
