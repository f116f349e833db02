import { markdownTable } from './markdown-table.ts';
import type { Waits } from '../parts/use-broker.ts';

/** A broker with so many servers, measured. */
export type Row = {
  servers: number;
  checkout: string;
  database: string;
  /** From the program's start until it answers, with every manifest new. */
  firstReadyS: number;
  /** The same with every server known. */
  readyS: number;
  /** From then until each server was asked and its answer stored, in each of the two; NaN beyond the patience. */
  firstAskedS: number;
  askedS: number;
  /** How many were asked within the patience. */
  asked: number;
  stopS: number;
  idleCpu: number;
  idleRequests: number;
  memoryMb: number | undefined;
} & Record<`rest ${keyof Waits}` | `start ${keyof Waits}`, number>;

/** The section about servers of docs/performance.md. */
export function serversSection(rows: readonly Row[], database: string): string {
  const figure = (value: number | undefined, unit = '') =>
    value === undefined || Number.isNaN(value) ? '-' : `${value}${unit}`;
  const pair = (row: Row, name: keyof Waits) => `${figure(row[`rest ${name}`])} / ${figure(row[`start ${name}`])}`;
  const cells = rows.map((row) => [
    `${row.servers}${row.checkout === 'this' ? '' : ', before'}`,
    `${figure(row.firstReadyS)} / ${figure(row.readyS)}`,
    `${figure(row.firstAskedS)} / ${figure(row.askedS)}`,
    pair(row, 'callP50'),
    pair(row, 'callP99'),
    pair(row, 'signInP50'),
    pair(row, 'signInP95'),
    pair(row, 'pageP99'),
    figure(row.idleCpu, ' %'),
    figure(row.memoryMb),
    figure(row.stopS),
  ]);
  const table = markdownTable(
    [
      'servers',
      'ready, first / next, s',
      'all asked, first / next, s',
      'call p50, rest / start, ms',
      'call p99',
      'sign-in p50',
      'sign-in p95',
      'page p99',
      'idle CPU',
      'memory, MB',
      'stop, s',
    ],
    cells,
  );
  return `Each server is a real MCP server with an origin of its own; every second
one speaks only the revisions with sessions. "Before" is the checkout in FOLDER; a dash says that its broker did not come up. "First"
is a start with every manifest new, from a folder; "next" one with every server known. "All asked" counts from the moment at which
the broker answers. What people wait is measured at rest and while the next start asks the servers: free and paid calls, whole
sign-ins, and the shop's first page. Driver and servers share one core, the broker and ${database === 'postgres' ? 'PostgreSQL' : 'its embedded database'} the other. Idle CPU is of
the broker alone, in per cent of a core.

${table}`;
}
