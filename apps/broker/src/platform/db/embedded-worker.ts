// The worker that runs PGlite: in the main thread it starves the event loop (no timer fired for 1.5 s in a slow query).
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type PGliteOptions, type Results } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { date, int8, parseBigint, parseDate } from './column-types.ts';
import { DurableNodeFs } from './durable-node-fs.ts';
import type { Reply, Request, StatementResult, WorkerOptions } from './embedded-protocol.ts';

const port = parentPort;
if (!port) throw new Error('embedded-worker.ts runs as a worker only');
// workerData is `any`; the only place that starts this worker gives a WorkerOptions.
const options: WorkerOptions = workerData;
const reply = (message: Reply) => port.postMessage(message);

/** The last output of PostgreSQL, for the error of a database that does not start. */
const lastWords: string[] = [];

const files = options.durable ? new DurableNodeFs(options.folder) : new NodeFS(options.folder);
// PostgreSQL's default of 128 MB of buffers would be touched at the start and stay in memory; the page cache backs these anyway.
const memory = ['-c', 'shared_buffers=32MB'];
const startParameters = options.durable
  ? [...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'), '-c', 'wal_sync_method=fsync', ...memory]
  : [...PGlite.defaultStartParams, ...memory];

try {
  const database = await PGlite.create({
    fs: files,
    startParams: startParameters,
    parsers: { [int8]: parseBigint, [date]: parseDate },
    onStderr: (line) => {
      lastWords.push(line);
      if (lastWords.length > 5) lastWords.shift();
      return false;
    },
  } satisfies PGliteOptions);
  database.onNotification((channel, payload) => reply({ kind: 'notification', channel, payload }));
  serve(database);
  reply({ kind: 'ready' });
} catch (error) {
  reply({ kind: 'fatal', message: [messageOf(error), ...lastWords].join('\n') });
}

/** Runs one request after the other, in the order of their arrival: BEGIN and COMMIT are requests too. */
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
    reply({ kind: 'result', id, result: await run(database, request.text, request.values) });
  } catch (error) {
    if (isCrash(error)) {
      reply({ kind: 'fatal', message: [messageOf(error), ...lastWords].join('\n') });
      return;
    }
    reply({ kind: 'refused', id, error: describe(error) });
  }
}

/** Without values the simple protocol: one round trip instead of four, and several statements at once (pg-boss has some). */
async function run(database: PGlite, text: string, values: readonly unknown[]): Promise<StatementResult> {
  const results: Results[] =
    values.length === 0 ? await database.exec(text) : [await database.query(text, [...values])];
  return {
    rows: results.flatMap(({ rows }) => rows),
    affectedRows: results.reduce((sum, result) => sum + (result.rowCount ?? result.affectedRows ?? 0), 0),
    command: results.at(-1)?.command ?? '',
  };
}

/** An abort of the WebAssembly program, after which nothing works. Errors of statements have an SQLSTATE instead. */
function isCrash(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'RuntimeError' || error.name === 'ExitStatus' || /Aborted\(|Program terminated/.test(error.message)
  );
}

function describe(error: unknown) {
  const field = (name: string): string | undefined => {
    const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return {
    message: messageOf(error),
    code: field('code') ?? 'XX000',
    detail: field('detail'),
    constraint: field('constraint'),
    table: field('table'),
    column: field('column'),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
