import { setTimeout } from 'node:timers/promises';
import { runClosedLoop, type Load } from './closed-loop.ts';
import { loadAverage, measureCoreSpeed } from './machine.ts';
import { McpConnection, type Endpoint, type Era } from './mcp-connection.ts';
import { cpuMsOf, cpuMsOfDescendants, forgetPeakMemory, peakMemoryMbOf } from './process-figures.ts';
import { ascending, median, percentile, rounded, sum } from './report/statistics.ts';
import { earlierOf, freeOf } from './target-names.ts';

/** A route to the upstream's tool. All are compared with the first target of a case. */
export type Target = {
  name: string;
  endpointOf(client: number): Endpoint;
  /** Possible names of the tool. */
  tool: readonly string[];
  /** Process in between, whose CPU time and memory are measured; undefined for the direct target. */
  pid: number | undefined;
};

export type Case = { upstream: string; era: Era; clients: number };

export type TargetResult = {
  target: string;
  callsPerSecond: number;
  /** Calls per second divided by those of the first target in the same round; median of all rounds. */
  ratio: number;
  ratios: number[];
  p50Ms: number;
  p99Ms: number;
  addedP50Ms: number;
  addedP99Ms: number;
  /** CPU time of the process in between, including the embedded database. */
  cpuMsPerCall: number | undefined;
  /** CPU time of its children: PostgreSQL. */
  databaseCpuMsPerCall: number | undefined;
  peakMemoryMb: number | undefined;
  /** Correct answers in the measured rounds. */
  calls: number;
  /** Correct answers including the warm-up, which must equal the number of usage rows. */
  callsWithWarmUp: number;
  errors: number;
  wrongAnswers: number;
  firstProblem: string | undefined;
};

export type CaseResult = Case & {
  /** Million steps per second of a fixed loop on the driver's core, before the case. */
  coreSpeed: number;
  loadAverage: number;
  targets: TargetResult[];
};

type Round = { load: Load; cpuMs: number | undefined; databaseCpuMs: number; peakMemoryMb: number | undefined };
type Bed = { target: Target; connections: McpConnection[]; warmUp: Load; rounds: Round[] };

const warmUpShare = 0.25;

/** Time without processor use after which a process is at rest; brokers write rows every 50 ms. */
const quietMs = 120;
const longestRestMs = 2_000;

/** Measures all targets in turn in each round, under the same load, so that a drifting machine affects all of them. */
export async function measureCase(
  theCase: Case,
  targets: readonly Target[],
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<CaseResult> {
  const coreSpeed = measureCoreSpeed();
  const beds: Bed[] = [];
  try {
    for (const target of targets) {
      const connections = await openConnections(target, theCase);
      const warmUp = await runClosedLoop(connections, seconds * 1000 * warmUpShare);
      beds.push({ target, connections, warmUp, rounds: [] });
    }
    for (let round = 0; round < rounds; round++) {
      // shuffled each round, because the target after a broker finds the machine warm
      const [first, ...others] = beds;
      for (const bed of first ? [first, ...shuffled(inPairs(others)).flatMap(shuffled)] : []) {
        bed.rounds.push(await runRound(bed, seconds));
        await untilAtRest(bed.target.pid);
      }
    }
  } finally {
    for (const { connections } of beds) await closeAll(connections);
  }
  const [baseline] = beds;
  return {
    ...theCase,
    coreSpeed,
    loadAverage: loadAverage(),
    targets: baseline ? beds.map((bed) => summarize(bed, baseline)) : [],
  };
}

async function openConnections(target: Target, { era, clients }: Case): Promise<McpConnection[]> {
  const indexes = Array.from({ length: clients }, (_, index) => index);
  return Promise.all(indexes.map((index) => McpConnection.open(target.endpointOf(index), era, target.tool)));
}

async function closeAll(connections: readonly McpConnection[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection.close()));
}

/** Waits until a broker has written its usage rows, which would otherwise slow down the next target. */
async function untilAtRest(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const endsAt = performance.now() + longestRestMs;
  for (let before = Number.NaN; performance.now() < endsAt;) {
    const now = (cpuMsOf(pid) ?? 0) + cpuMsOfDescendants(pid);
    if (now === before) return;
    before = now;
    await setTimeout(quietMs);
  }
}

/**
 * Groups targets that are compared with each other (free and paid calls, a broker and the earlier one), so that they run in
 * succession.
 */
function inPairs(beds: readonly Bed[]): Bed[][] {
  const ownOf = new Map(beds.map(({ target: { name } }) => [earlierOf(name), name]));
  return [...Map.groupBy(beds, ({ target: { name } }) => freeOf(name) ?? ownOf.get(name) ?? name).values()];
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

async function runRound({ target: { pid }, connections }: Bed, seconds: number): Promise<Round> {
  if (pid === undefined) {
    const load = await runClosedLoop(connections, seconds * 1000);
    return { load, cpuMs: undefined, databaseCpuMs: 0, peakMemoryMb: undefined };
  }
  forgetPeakMemory(pid);
  const before = { own: cpuMsOf(pid), database: cpuMsOfDescendants(pid) };
  const load = await runClosedLoop(connections, seconds * 1000);
  const own = cpuMsOf(pid);
  return {
    load,
    cpuMs: own === undefined || before.own === undefined ? undefined : own - before.own,
    databaseCpuMs: cpuMsOfDescendants(pid) - before.database,
    peakMemoryMb: peakMemoryMbOf(pid),
  };
}

function summarize(bed: Bed, baseline: Bed): TargetResult {
  const { target, warmUp, rounds } = bed;
  const loads = rounds.map(({ load }) => load);
  const all = [warmUp, ...loads];
  const rates = ratesOf(bed);
  const baselineRates = ratesOf(baseline);
  const ratios = rates.map((rate, index) => rounded(rate / (baselineRates[index] ?? Number.NaN)));
  const latency = percentilesOf(bed);
  const baselineLatency = percentilesOf(baseline);
  const calls = sum(loads.map((load) => load.calls));
  const perCall = (total: number) => rounded(total / calls);
  const cpuMs = rounds.flatMap((round) => round.cpuMs ?? []);
  const databaseCpuMs = sum(rounds.map((round) => round.databaseCpuMs));
  const peaks = rounds.flatMap((round) => round.peakMemoryMb ?? []);
  return {
    target: target.name,
    callsPerSecond: Math.round(median(rates)),
    ratio: rounded(median(ratios)),
    ratios,
    p50Ms: rounded(latency.p50),
    p99Ms: rounded(latency.p99),
    addedP50Ms: rounded(latency.p50 - baselineLatency.p50),
    addedP99Ms: rounded(latency.p99 - baselineLatency.p99),
    cpuMsPerCall: cpuMs.length > 0 ? perCall(sum(cpuMs)) : undefined,
    databaseCpuMsPerCall: databaseCpuMs > 0 ? perCall(databaseCpuMs) : undefined,
    peakMemoryMb: peaks.length > 0 ? Math.max(...peaks) : undefined,
    calls,
    callsWithWarmUp: calls + warmUp.calls,
    errors: sum(all.map((load) => load.errors)),
    wrongAnswers: sum(all.map((load) => load.wrongAnswers)),
    firstProblem: all.find((load) => load.firstProblem !== undefined)?.firstProblem,
  };
}

function ratesOf({ rounds }: Bed): number[] {
  return rounds.map(({ load }) => (load.calls / load.elapsedMs) * 1000);
}

function percentilesOf({ rounds }: Bed): { p50: number; p99: number } {
  const sorted = rounds.flatMap(({ load }) => load.latenciesMs).sort(ascending);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}
