// npm run clients [-- name …] [--documents unreachable] [--brokers 2] [--slash] [--no-write]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBed, type Bed, type BedOptions } from './bed.ts';
import { checkClient } from './check-client.ts';
import { sameInAll, type Row } from './columns.ts';
import { formatReport } from './format-report.ts';
import { installSet, versionOf } from './install.ts';
import { Processes } from './processes.ts';
import type { Program } from './program.ts';
import { notRun, programs } from './programs/all.ts';
import { storeRows, type DatedRow } from './results.ts';
import { writeReport } from './report.ts';
import { Trace } from './trace.ts';

/** EX_USAGE of sysexits.h. */
const exitUsage = 64;
const root = join(import.meta.dirname, '..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string', default: 'default' },
    brokers: { type: 'string', default: '1' },
    slash: { type: 'boolean', default: false },
    'no-write': { type: 'boolean', default: false },
  },
});
const order = [...programs, ...notRun].map(({ name }) => name);
const options = readOptions();
if (!options) process.exitCode = exitUsage;
else {
  await run(options);
  // handles that a client's library leaves open must not keep this process running
  process.exit();
}

function readOptions(): BedOptions | undefined {
  const { documents, brokers, slash } = values;
  const unknown = positionals.filter((name) => !order.includes(name));
  if ((documents === 'default' || documents === 'unreachable') && /^[12]$/.test(brokers) && unknown.length === 0)
    return { documents, brokers: brokers === '2' ? 2 : 1, ending: slash ? '/' : '' };
  console.error('npm run clients [-- name …] [--documents unreachable] [--brokers 2] [--slash] [--no-write]');
  console.error(`names: ${order.join(', ')}`);
  return undefined;
}

async function run(options: BedOptions): Promise<void> {
  const processes = new Processes();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());
  const stopped = new Promise<never>((_, reject) => {
    interrupted.signal.addEventListener('abort', () => reject(new Error('interrupted')));
  });
  stopped.catch(() => {});
  const isWanted = ({ name }: { name: string }) => positionals.length === 0 || positionals.includes(name);
  const rows: Row[] = notRun.filter(isWanted).map(({ name, label, why }) => ({
    name,
    label,
    version: '',
    told: '',
    cells: sameInAll({ state: 'not run', note: why }),
  }));
  // an interrupted start still has to be closed
  const starting = startBed(options);
  let bed: Bed | undefined;
  try {
    bed = await Promise.race([starting, stopped]);
    for (const program of programs.filter(isWanted)) {
      rows.push(await Promise.race([checkOne(program, bed, processes, interrupted.signal), stopped]));
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    await processes.endAll();
    await (bed ?? (await starting.catch(() => undefined)))?.close();
  }
  const date = new Date().toISOString().slice(0, 10);
  const dated: DatedRow[] = rows.map((row) => ({ ...row, date }));
  if (!values['no-write'] && !interrupted.signal.aborted) {
    const results = storeRows(variantOf(options), dated, order);
    writeReport({ ...results, default: withUnrunClients(results['default'] ?? []) });
    await formatReport();
  }
  if (rows.some(({ cells }) => Object.values(cells).some(({ state }) => state === 'failed'))) process.exitCode = 1;
}

async function checkOne(program: Program, bed: Bed, processes: Processes, signal: AbortSignal): Promise<Row> {
  const { name, label } = program;
  const home = await mkdtemp(join(tmpdir(), `souk-client-${name}-`));
  bed.door.trace = new Trace();
  console.log(`\n${label}`);
  try {
    const packages = program.packages === undefined ? root : await installSet(program.packages, signal);
    const version = versionOf(packages, program.package);
    const person = bed.person(`${name}@souk.test`);
    const setting = { link: bed.link, person, trace: () => bed.door.trace, home, packages, processes };
    const cells = await checkClient(program, setting, bed, (column, cell) => {
      console.log(`  ${column.padEnd(12)}${cell.state}${cell.note === undefined ? '' : `: ${cell.note}`}`);
    });
    return { name, label, version, told: bed.door.trace.told(), cells };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(`  not run: ${why}`);
    return { name, label, version: '', told: '', cells: sameInAll({ state: 'not run', note: why }) };
  } finally {
    await processes.endAll();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function withUnrunClients(rows: readonly DatedRow[]): DatedRow[] {
  const cells = sameInAll({ state: 'not run', note: 'not run yet' });
  return [...programs, ...notRun].map(
    ({ name, label }) =>
      rows.find((row) => row.name === name) ?? { name, label, version: '', told: '', date: '', cells },
  );
}

function variantOf({ documents, brokers, ending }: BedOptions): string {
  if (ending === '/') return 'slash';
  if (documents === 'unreachable') return 'documents unreachable';
  return brokers === 2 ? 'two brokers' : 'default';
}
