import type { Share } from '../compare-targets.ts';
import { markdownTable } from './markdown-table.ts';
import type { CaseResult } from '../measure-case.ts';

/** Returns the section about calls for docs/performance.md. */
export function callsSection(
  cases: readonly CaseResult[],
  charged: readonly Share[],
  traced: readonly Share[],
): string {
  const rows = cases.flatMap(({ upstream, era, clients, targets }) =>
    targets.map((one) =>
      [
        `${upstream}, ${era}`,
        clients,
        one.target,
        one.callsPerSecond,
        one.ratio.toFixed(3),
        one.p50Ms.toFixed(2),
        one.p99Ms.toFixed(2),
        one.cpuMsPerCall?.toFixed(3) ?? '-',
        one.databaseCpuMsPerCall?.toFixed(3) ?? '-',
      ].map(String),
    ),
  );
  const head = [
    'server, protocol',
    'clients',
    'by',
    'calls/s',
    'ratio',
    'p50, ms',
    'p99, ms',
    'CPU, ms',
    '+ database, ms',
  ];
  return [
    `Calls of a tool through the link, compared with the same server called directly and through a bare reverse proxy in Node. \`raw\` is a
server that costs next to nothing, \`sdk\` one that uses the official SDK. \`ratio\` compares with the direct calls of the same round; CPU
is the broker's processor time per call.`,
    markdownTable(head, rows),
    ...comparison('Paid calls compared with free calls, by rate and by processor time', charged),
    ...comparison('Traced calls compared with untraced calls, by rate and by processor time', traced),
  ].join('\n\n');
}

function comparison(title: string, shares: readonly Share[]): string[] {
  if (shares.length === 0) return [];
  const rows = shares.map(({ upstream, era, clients, target, share, cpuShare }) =>
    [`${upstream}, ${era}`, clients, target, share.toFixed(3), cpuShare?.toFixed(3) ?? '-'].map(String),
  );
  return [`${title}:`, markdownTable(['server, protocol', 'clients', 'broker', 'share', 'by CPU'], rows)];
}
