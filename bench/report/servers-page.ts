import { markdownTable } from './markdown-table.ts';
import type { Waits } from '../parts/use-broker.ts';

/** Results for a broker with a number of servers. */
export type Row = {
  servers: number;
  checkout: string;
  database: string;
  /** Time from the program's start until it answers, with all manifests new. */
  firstReadyS: number;
  /** The same with all servers known. */
  readyS: number;
  /** Time from then until each server was contacted and its answer stored, for both starts; NaN beyond the patience. */
  firstAskedS: number;
  askedS: number;
  /** Number of servers contacted within the patience. */
  asked: number;
  stopS: number;
  idleCpu: number;
  idleRequests: number;
  memoryMb: number | undefined;
} & Record<`rest ${keyof Waits}` | `start ${keyof Waits}`, number>;

/** Returns the section about servers for docs/performance.md. */
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
      'all contacted, first / next, s',
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
  return `Each server is a real MCP server with its own origin; every second one supports only the revisions with sessions. "Before" is the
checkout in FOLDER; a dash means that its broker did not start. "First" is a start with all manifests new, from a folder; "next" is a
start with all servers known. "Ready" is the time until the broker answers requests, "all contacted" the time from then until every
server's answer is stored. The latency of free and paid calls, complete sign-ins and the shop's first page is measured at rest and while
the next start contacts the servers. Driver and servers share one core, the broker and ${database === 'postgres' ? 'PostgreSQL' : 'its embedded database'} the other. Idle CPU is the broker's alone, in percent of one core.

${table}`;
}
