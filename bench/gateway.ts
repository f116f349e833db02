import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { UsageError, type Bench } from './bench.ts';
import { callsSection } from './report/calls-section.ts';
import { compareCharged, compareTraced, compareWithEarlier, formatShare } from './compare-targets.ts';
import { gatewayUsage, parseGatewayOptions, type GatewayOptions, type UpstreamName } from './gateway-options.ts';
import { findLedgerProblems, findProblems } from './report/find-problems.ts';
import { describeMachine, loadAverage, measureCoreSpeed, pinSelf, planPinning } from './machine.ts';
import type { Era } from './mcp-connection.ts';
import { measureCase, type CaseResult, type Target } from './measure-case.ts';
import { writePerformance } from './report/performance-page.ts';
import { formatCases } from './report/print-cases.ts';
import { startBed, type GatewayBed } from './gateway-bed.ts';
import { sum } from './report/statistics.ts';

const eras: readonly Era[] = ['legacy', 'modern'];
/** Clients from which an SDK server is measured. The SDK itself is the bottleneck, so a case with fewer clients says nothing about the gateway. */
const sdkFromClients = 32;
const warmUpClients = 32;
/** Length of the warm-up in rounds: V8 keeps compiling for some 40,000 calls of each era. */
const warmUpTimes = 4;

/** Compares calls through /mcp with calls to the same upstream directly and through a bare reverse proxy. */
export const gatewayBench: Bench = {
  description: 'calls through /mcp, compared with the same upstream called directly and through a bare reverse proxy',
  usage: gatewayUsage,
  async run(args) {
    const options = withPresentDatabases(parseGatewayOptions(args));
    const startedAt = performance.now();
    const machine = describeMachine();
    const before = { loadAverage: loadAverage(), coreSpeed: measureCoreSpeed() };
    const pinning = planPinning();
    if (pinning) pinSelf(pinning.driverCore);
    else console.error('Not pinned: taskset is missing, or there is only one core. The ratios are less reliable.');

    const bed = await startBed(options, pinning);
    let cases: CaseResult[];
    let ended: Awaited<ReturnType<GatewayBed['stop']>>;
    try {
      cases = await measureAll(options, bed);
    } finally {
      ended = await bed.stop();
    }
    const { usage, ledgers, memory } = ended;
    const problems = [...findProblems(cases, usage), ...findLedgerProblems(cases, ledgers)];
    const measured = cases.filter(({ upstream }) => upstream !== 'warm-up');
    console.log(`\n${formatCases(measured)}\n`);
    const toEarlier = compareWithEarlier(measured);
    for (const share of toEarlier) console.log(formatShare(share, 'the other checkout'));
    const charged = compareCharged(measured);
    for (const share of charged) console.log(formatShare(share, 'the same without charges'));
    const traced = compareTraced(measured);
    for (const share of traced) console.log(formatShare(share, 'the same without traces'));
    for (const [kind, atPeak] of Object.entries(memory))
      console.log(`souk ${kind} at its peak, MB: ${JSON.stringify(atPeak)}\n`);
    if (options.write && problems.length === 0)
      writePerformance('Calls', `npm run bench -- gateway ${args.join(' ')}`, callsSection(measured, charged, traced));
    for (const problem of problems) console.log(`WRONG: ${problem}`);
    const result = {
      bench: 'gateway',
      ok: problems.length === 0,
      problems,
      options,
      machine: { ...machine, pinning },
      before,
      after: { loadAverage: loadAverage(), coreSpeed: measureCoreSpeed() },
      seconds: Math.round((performance.now() - startedAt) / 1000),
      databases: bed.databases,
      errors: sum(cases.flatMap(({ targets }) => targets.map(({ errors }) => errors))),
      wrongAnswers: sum(cases.flatMap(({ targets }) => targets.map(({ wrongAnswers }) => wrongAnswers))),
      usageRows: usage,
      memory,
      toEarlier,
      charged,
      traced,
      ledgers,
      cases: measured,
    };
    // missing figures become null, so that every run has the same fields
    console.log(JSON.stringify(result, (_key, value: unknown) => value ?? null));
    return problems.length === 0 ? 0 : 1;
  },
};

function withPresentDatabases(options: GatewayOptions): GatewayOptions {
  if (!options.databases.includes('postgres') || findPostgresBinaries()) return options;
  const databases = options.databases.filter((kind) => kind !== 'postgres');
  if (databases.length === 0) throw new UsageError('--database postgres: there is no PostgreSQL on this machine');
  console.error('NO POSTGRESQL on this machine: only the embedded database is measured.');
  return { ...options, databases };
}

async function measureAll(options: GatewayOptions, bed: GatewayBed): Promise<CaseResult[]> {
  const cases: CaseResult[] = [];
  const measure = async (upstream: string, era: Era, clients: number, targets: Target[], pace = options) => {
    console.error(`${upstream}, ${era}, ${clients} clients: ${targets.map(({ name }) => name).join(', ')}`);
    cases.push(await measureCase({ upstream, era, clients }, targets, pace));
  };
  // without a warm-up, only the first case would include compilation
  const once = { ...options, seconds: options.seconds * warmUpTimes, rounds: 1 };
  for (const era of eras) await measure('warm-up', era, warmUpClients, bed.targets('raw'), once);

  // one case also uses an OAuth access token
  const oauthClients = options.clients.includes(sdkFromClients) ? sdkFromClients : Math.max(...options.clients);
  const clientsOf: Record<UpstreamName, readonly number[]> = {
    raw: options.clients,
    sdk: options.clients.filter((clients) => clients >= sdkFromClients),
  };
  for (const upstream of options.upstreams) {
    for (const era of eras) {
      for (const clients of clientsOf[upstream]) {
        const oauth = upstream === 'raw' && era === 'modern' && clients === oauthClients;
        await measure(upstream, era, clients, bed.targets(upstream, { oauth }));
      }
    }
  }
  return cases;
}
