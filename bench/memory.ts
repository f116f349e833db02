import { readFile, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { connectModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { newDataDir, runToEnd, startProduct, type Product } from '../e2e/product.ts';
import { untilAllConnected } from '../e2e/until-all-connected.ts';
import { UsageError, type Bench } from './bench.ts';
import { measureBrokerMemory, type BrokerMemory } from './broker-memory.ts';
import { markdownTable } from './report/markdown-table.ts';
import { writePerformance } from './report/performance-page.ts';

/** Limit for the product with its children: the sum of PSS on a second start, some time after it is ready. */
const limitMiB = 1024;
const defaultSeconds = 60;
const defaultLoadSeconds = 10;

const calls = [
  { name: 'everything__echo', arguments: { message: 'hello' } },
  { name: 'memory__read_graph', arguments: {} },
  { name: 'files__list_allowed_directories', arguments: {} },
  { name: 'travel__list_itineraries', arguments: {} },
  { name: 'calendar__list_events', arguments: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' } },
  { name: 'notes__list_tags', arguments: {} },
];

/** Measures memory of the product on a second start, after two users have called every bundled server. */
export const memoryBench: Bench = {
  description:
    'memory of the broker at the start, idle and under load, and of the whole product with all its processes',
  usage:
    'npm run bench -- memory [--seconds 60] [--load 10] [--against FOLDER] [--write]   --load: seconds for which 128 clients call; --seconds: pause after the calls before the last measurement',
  async run(args) {
    const { seconds, loadSeconds, against, write } = readOptions(args);
    const brokers: BrokerMemory[] = [];
    for (const database of findPostgresBinaries() ? (['pglite', 'postgres'] as const) : (['pglite'] as const))
      brokers.push(...(await measureBrokerMemory({ database, loadSeconds, afterSeconds: seconds, against })));
    console.table(brokers);
    const dataDir = await newDataDir();
    try {
      const first = await startProduct({ dataDir });
      await untilAllConnected(first.publicUrl);
      await first.kill('SIGTERM');
      const second = await startProduct({ dataDir });
      await callEverything(second, dataDir);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      const processes = await measure(second);
      await second.kill('SIGTERM');
      const totalMiB = Math.round(processes.reduce((sum, { pssMiB }) => sum + pssMiB, 0));
      for (const { pssMiB, program } of processes) console.log(`${pssMiB.toFixed(0).padStart(6)} MiB  ${program}`);
      console.log(`${String(totalMiB).padStart(6)} MiB  in all (at most ${limitMiB})`);
      const report = {
        bench: 'memory',
        brokers,
        firstStartMs: Math.round(first.readyMs),
        secondStartMs: Math.round(second.readyMs),
        totalMiB,
        limitMiB,
        ratio: Number((totalMiB / limitMiB).toFixed(3)),
        processes,
      };
      console.log(JSON.stringify(report));
      const isRight = totalMiB <= limitMiB && brokers.every(({ errors }) => errors === 0);
      if (write && isRight)
        writePerformance(
          'Memory',
          'npm run bench -- memory --write',
          memorySection(brokers, { loadSeconds, seconds, totalMiB }),
        );
      return isRight ? 0 : 1;
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

function memorySection(
  brokers: readonly BrokerMemory[],
  { loadSeconds, seconds, totalMiB }: { loadSeconds: number; seconds: number; totalMiB: number },
): string {
  const figure = (value: number | undefined) => String(value ?? '-');
  const rows = brokers.map(({ broker, startPeakMb, idleMb, loadPeakMb, afterMb, calls }) => [
    broker,
    ...[startPeakMb, idleMb, loadPeakMb, afterMb, calls].map(figure),
  ]);
  return `Resident memory of the broker's process in MB: peak during the start, 5 s later, peak while 128 clients call a fast server for
${loadSeconds} s, and ${seconds} s after these calls.

${markdownTable(['broker', 'start, peak', 'idle', 'load, peak', `${seconds} s after`, 'calls'], rows)}

The whole product of \`npm start\` with its six services, after two users have called them all: ${totalMiB} MiB (the sum of PSS; at
most ${limitMiB}).`;
}

function readOptions(args: readonly string[]): {
  seconds: number;
  loadSeconds: number;
  against: string | undefined;
  write: boolean;
} {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { seconds: text, load: text, against: text, write: { type: 'boolean', default: false } },
    });
    return {
      seconds: wholeSeconds('seconds', values.seconds ?? defaultSeconds),
      loadSeconds: wholeSeconds('load', values.load ?? defaultLoadSeconds),
      against: values.against,
      write: values.write,
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeSeconds(name: string, value: string | number): number {
  const seconds = Number(value);
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= 3600) return seconds;
  throw new UsageError(`--${name} takes a whole number from 0 to 3600`);
}

async function callEverything(product: Product, dataDir: string): Promise<void> {
  await untilAllConnected(product.publicUrl);
  for (const email of ['ann@souk.test', 'bob@souk.test']) {
    const create = ['apps/broker/src/operator/souk.ts', 'token', 'create', '--email', email, '--name', 'memory'];
    const { stdout } = await runToEnd(create, { DATA_DIR: dataDir });
    const client = await connectModern(`${product.publicUrl}/mcp`, stdout.trim());
    for (const call of calls) {
      const { isError } = await client.callTool(call);
      // notes answers that it needs an upstream account; every other call must succeed
      if (isError && !call.name.startsWith('notes__')) throw new Error(`${call.name} failed`);
    }
    await client.close();
  }
}

type Measured = { pssMiB: number; program: string };

async function measure(product: Product): Promise<Measured[]> {
  const pids = await product.processes();
  return Promise.all(
    pids.map(async (pid) => {
      const [rollup, commandLine] = await Promise.all(
        ['smaps_rollup', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
      );
      const kib = Number(/^Pss:\s+(\d+) kB/m.exec(rollup ?? '')?.[1] ?? Number.NaN);
      const program = (commandLine ?? '').split('\0').find((part) => /\.(ts|js)$/.test(part)) ?? String(pid);
      return { pssMiB: Math.round(kib / 102.4) / 10, program: program.split('/').slice(-3).join('/') };
    }),
  );
}
