// The worker that runs PGlite. In the main thread it would starve the event loop (no timer fired for 1.5 s in a slow query).
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type PGliteOptions, type Results } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { date, int8, parseBigint, parseDate } from '../column-types.ts';
import { createDiskSpaceGuard, diskFullText, type DiskSpace } from './disk-space-guard.ts';
import { DurableNodeFs } from './durable-node-fs.ts';
import { diskFull, type StatementErrorFields } from '../database-errors.ts';
import { messageOf } from '../../thrown.ts';
import type { Reply, Request, StatementResult, WorkerOptions } from './embedded-protocol.ts';

/** SQLSTATE read_only_sql_transaction. */
const readOnlyTransaction = '25006';

const port = parentPort;
if (!port) throw new Error('embedded-worker.ts runs as a worker only');
// workerData is `any`; worker-connection.ts, which alone starts this worker, passes WorkerOptions.
const options: WorkerOptions = workerData;
const reply = (message: Reply) => port.postMessage(message);

const disk = createDiskSpaceGuard(options.folder);
/** Whether a transaction is open, whose rollback would undo the session's read-only setting. */
let inTransaction = false;

/** PostgreSQL's last output, for the error of a database that does not start. */
const lastOutput: string[] = [];

const files = options.durable ? new DurableNodeFs(options.folder) : new NodeFS(options.folder);
// PostgreSQL would touch its default of 128 MB of buffers at the start and keep them; the page cache backs these anyway
const memory = ['-c', 'shared_buffers=32MB'];
// size of the log after a checkpoint (PostgreSQL's default is 1 GB)
const log = ['-c', 'max_wal_size=128MB'];
const durability = options.durable
  ? [...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'), '-c', 'wal_sync_method=fsync']
  : PGlite.defaultStartParams;

try {
  const database = await PGlite.create({
    fs: files,
    startParams: [...durability, ...memory, ...log],
    parsers: { [int8]: parseBigint, [date]: parseDate },
    onStderr: (line) => {
      lastOutput.push(line);
      if (lastOutput.length > 5) lastOutput.shift();
      return false;
    },
  } satisfies PGliteOptions);
  database.onNotification((channel, payload) => reply({ kind: 'notification', channel, payload }));
  serve(database);
  reply({ kind: 'ready' });
} catch (error) {
  reply({ kind: 'fatal', message: [messageOf(error), ...lastOutput].join('\n') });
}

/** Runs requests sequentially, in the order of their arrival, since BEGIN and COMMIT are requests too. */
function serve(database: PGlite): void {
  let tail = Promise.resolve();
  port?.on('message', (request: Request) => {
    tail = tail.then(() => answer(database, request));
  });
}

async function answer(database: PGlite, request: Request): Promise<void> {
  const { id } = request;
  if (request.kind === 'fsync-count') {
    reply({ kind: 'count', id, count: files instanceof DurableNodeFs ? files.fsyncCount : 0 });
    return;
  }
  if (request.kind === 'close') {
    await database.close().catch((error: unknown) => reply({ kind: 'fatal', message: messageOf(error) }));
    reply({ kind: 'closed', id });
    return;
  }
  try {
    const changed = inTransaction ? undefined : disk.look();
    if (changed) await followSpace(database, changed);
    reply({ kind: 'result', id, result: await run(database, request.text, request.values) });
  } catch (error) {
    if (isCrash(error)) {
      reply({ kind: 'fatal', message: [messageOf(error), ...lastOutput].join('\n') });
      return;
    }
    reply({ kind: 'refused', id, error: describe(error) });
  }
}

/**
 * Makes the session read-only while the disk is full. PGlite would not fail: it would wait for the next segment of its log,
 * and block all statements. PostgreSQL itself tells statements that write from those that read.
 */
async function followSpace(database: PGlite, space: DiskSpace): Promise<void> {
  await database.exec(`set default_transaction_read_only = ${space.isFull ? 'on' : 'off'}`);
  reply({ kind: 'space', space });
}

/** Uses the simple protocol if there are no values: one round trip instead of four, and several statements per text (pg-boss). */
async function run(database: PGlite, text: string, values: readonly unknown[]): Promise<StatementResult> {
  const results: Results[] =
    values.length === 0 ? await database.exec(text) : [await database.query(text, [...values])];
  for (const { command } of results) {
    if (command === 'BEGIN') inTransaction = true;
    else if (command === 'COMMIT' || command === 'ROLLBACK') inTransaction = false;
  }
  return {
    rows: results.flatMap(({ rows }) => rows),
    affectedRows: results.reduce((sum, result) => sum + (result.rowCount ?? result.affectedRows ?? 0), 0),
    command: results.at(-1)?.command ?? '',
  };
}

/** Whether the WebAssembly program has aborted, after which nothing works. Errors of statements have an SQLSTATE instead. */
function isCrash(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'RuntimeError' || error.name === 'ExitStatus' || /Aborted\(|Program terminated/.test(error.message)
  );
}

function describe(error: unknown): StatementErrorFields {
  const field = (name: string): string | undefined => {
    const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const code = field('code') ?? 'XX000';
  if (code === readOnlyTransaction && disk.space.isFull) {
    return { code: diskFull, message: diskFullText(options.folder, disk.space.freeBytes) };
  }
  return {
    message: messageOf(error),
    code,
    detail: field('detail'),
    constraint: field('constraint'),
    table: field('table'),
    column: field('column'),
  };
}
