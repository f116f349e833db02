import { runClosedLoop } from './closed-loop.ts';
import type { DatabaseKind } from './gateway-options.ts';
import { startBed } from './gateway-bed.ts';
import type { Target } from './measure-case.ts';
import { McpConnection } from './mcp-connection.ts';
import { forgetPeakMemory, peakMemoryMbOf, residentMemoryMbOf } from './process-figures.ts';

const clients = 128;
const idleAfterMs = 5_000;

export type BrokerMemoryOptions = {
  database: DatabaseKind;
  /** Duration of the load by 128 clients. */
  loadSeconds: number;
  /** Pause between the load and the last figure. */
  afterSeconds: number;
  /** Another checkout to measure too. */
  against: string | undefined;
};

/** Resident memory of one broker's process, in MB; undefined without /proc. */
export type BrokerMemory = {
  broker: string;
  startPeakMb: number | undefined;
  idleMb: number | undefined;
  loadPeakMb: number | undefined;
  afterMb: number | undefined;
  calls: number;
  errors: number;
};

/** Measures brokers sequentially: their memory at the start, idle, with 128 clients calling a fast upstream, and afterwards. */
export async function measureBrokerMemory(options: BrokerMemoryOptions): Promise<BrokerMemory[]> {
  const { database, against } = options;
  const bed = await startBed(
    {
      seconds: options.loadSeconds,
      rounds: 1,
      clients: [clients],
      upstreams: ['raw'],
      databases: [database],
      askable: false,
      charged: false,
      memory: false,
      traced: false,
      write: false,
      profile: undefined,
      against,
    },
    undefined,
  );
  try {
    const results: BrokerMemory[] = [];
    for (const target of bed.targets('raw').filter(({ name }) => name.startsWith('souk')))
      results.push(await measure(target, options));
    return results;
  } finally {
    await bed.stop();
  }
}

async function measure(
  { name, pid = 0, endpointOf, tool }: Target,
  { loadSeconds, afterSeconds }: BrokerMemoryOptions,
): Promise<BrokerMemory> {
  const startPeakMb = peakMemoryMbOf(pid);
  await pause(idleAfterMs);
  const idleMb = residentMemoryMbOf(pid);
  forgetPeakMemory(pid);
  const connections = await Promise.all(
    Array.from({ length: clients }, (_, index) => McpConnection.open(endpointOf(index), 'modern', tool)),
  );
  const { calls, errors, wrongAnswers } = await runClosedLoop(connections, loadSeconds * 1000);
  const loadPeakMb = peakMemoryMbOf(pid);
  await Promise.all(connections.map((connection) => connection.close()));
  await pause(afterSeconds * 1000);
  const afterMb = residentMemoryMbOf(pid);
  return { broker: name, startPeakMb, idleMb, loadPeakMb, afterMb, calls, errors: errors + wrongAnswers };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
