import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Fault } from '../apps/broker/src/testing/fault-server.ts';
import { listenLocally } from '../apps/broker/src/testing/listen-locally.ts';
import { postModern } from '../apps/broker/src/testing/mcp-clients.ts';
import { atFullSize } from '../apps/broker/src/testing/proof-size.ts';
import { productFlags } from '../scripts/product-flags.ts';
import type { BrokerStart, DelayFigures, LoopDelay, ToBroker } from './hostile/messages.ts';
import { newDataDir } from './product.ts';

/** Measures I5, I6 and I7 (security.md): six healthy servers beside seven bad ones, and then every fault at once. */
const healthy = ['one', 'two', 'three', 'four', 'five', 'six'];
const floods = ['endless-stream', 'progress-flood', 'log-flood'];
const bad = ['dead', 'hang', 'garbage', 'hostile-template', ...floods];
/** Calls of each flooding server at once: a flood on one stream is less than one on several. */
const floodsAtOnce = 4;
const longestCallMs = 2000;
const worse: Fault[] = [
  'html',
  'not-rpc',
  'wrong-id',
  'cut-stream',
  'reset',
  'endless-garbage',
  'huge-json',
  'huge-event',
  'deep-json',
  'deep-event',
  'slow-answer',
  'slow-headers',
  'compressed',
  'header-bomb',
  'slow-pattern',
];
const programs = ['flood', 'notices', 'deep', 'exit-on-call', 'chatty'];

const size = {
  calls: atFullSize({ full: 10_000, short: 1500 }),
  callsUnderEveryFault: atFullSize({ full: 10_000, short: 800 }),
  lists: atFullSize({ full: 100, short: 1 }),
};

/** A thread that waits more of its time for a processor is on a machine too busy to measure delays. */
const scarceShare = 0.05;

const figures = z.object({ p99Ms: z.number(), maxMs: z.number() });
const delays = z.object({ whole: figures, computed: figures, waitedShare: z.number() });

const root = join(import.meta.dirname, '..');
let dataDir: string;
/** Good and bad servers run in separate processes, so that the bad ones cannot slow the good ones. */
let upstreams: ChildProcess[];
let broker: ChildProcess;
let url: string;
let tokens: string[];

beforeAll(async () => {
  dataDir = await newDataDir();
  upstreams = [1, 2].map(() => fork(new URL('./hostile/upstreams.ts', import.meta.url), { execArgv: [] }));
  const where = z.object({ address: z.string(), dead: z.string() });
  const [good, evil] = await Promise.all(upstreams.map((child) => hear(child, where)));
  if (!good || !evil) throw new Error('no upstream servers');
  const addressOf = (id: string) => (id === 'dead' ? evil.dead : healthy.includes(id) ? good.address : evil.address);
  const at = (id: string, fault: string) => ({
    manifest: {
      id,
      slug: slugOf(id),
      connection: { type: 'http', url: `http://${addressOf(id)}/on-call/${fault}` },
      deadlines: { callMs: healthy.includes(id) ? 10_000 : 1000 },
    },
    expectStatus: id === 'dead' ? ('disconnected' as const) : ('connected' as const),
  });
  const start: BrokerStart = {
    port: await freePort(),
    dataDir: join(dataDir, 'data'),
    catalogue: join(dataDir, 'catalogue'),
    allowlist: join(dataDir, 'allowlist.json'),
    allowAddresses: [good.address, evil.address, evil.dead],
    servers: [
      ...healthy.map((id) => at(id, 'none')),
      ...[...bad, ...worse].map((id) => at(id, id)),
      ...programs.map((id) => ({
        manifest: {
          id,
          slug: slugOf(id),
          connection: { type: 'stdio', command: id },
          deadlines: { callMs: 1000 },
        },
        expectStatus: 'connected' as const,
      })),
    ],
    people: ['healthy@souk.test', ...bad.map((id) => `${id}@souk.test`), 'worse@souk.test'],
  };
  await mkdir(join(start.catalogue, 'deployed'), { recursive: true });
  await mkdir(join(start.catalogue, 'staged'), { recursive: true });
  const program = join(root, 'apps/broker/src/testing/fault-stdio.ts');
  const entries = programs.map((fault) => [fault, { argv: ['{node}', program, fault], reads: [root] }]);
  await writeFile(start.allowlist, JSON.stringify(Object.fromEntries(entries)));
  broker = fork(new URL('./hostile/broker.ts', import.meta.url), [JSON.stringify(start)], {
    execArgv: [...productFlags],
  });
  const ready = await hear(broker, z.object({ publicUrl: z.string(), tokens: z.array(z.string()) }));
  url = `${ready.publicUrl}/mcp`;
  tokens = ready.tokens;
});
afterAll(async () => {
  for (const child of upstreams ?? []) if (child.connected) child.disconnect();
  if (broker?.connected) tell('stop');
  await new Promise((resolve) => (broker?.exitCode === null ? broker.once('exit', resolve) : resolve(undefined)));
  await rm(dataDir, { recursive: true, force: true });
});

test('security row 18: 700 MiB from a server fail the call as too large, and memory grows by less than 64 MiB', async () => {
  const token = tokens.at(-1) ?? '';
  for (const server of ['huge-json', 'huge-event']) {
    const name = `${slugOf(server)}__call`;
    // the first call loads code, which must not count here
    await callOf(token, name);
    tell('watch-memory');
    for (let round = 0; round < 3; round++)
      expect(await callOf(token, name)).toMatchObject({ 'souk/code': 'result_too_large' });
    tell('memory');
    const { grownBytes } = await hear(broker, z.object({ grownBytes: z.number() }));
    print(`row 18: memory of the broker while ${server} sends 700 MiB, MiB more`, [grownBytes / 1024 / 1024]);
    expect(grownBytes).toBeLessThan(64 * 1024 * 1024);
  }
});

test('[I5] beside dead, hanging, garbage and flooding servers, a hostile template and slow clients, calls to others are as fast as before', async () => {
  await measureHealthy(500);
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    const baseline = await measureHealthy(size.calls);
    const stop = beginCalls([...bad, ...Array.from({ length: floodsAtOnce - 1 }, () => floods).flat()]);
    const stopSlow = beginSlowClients();
    const disturbed = await measureHealthy(size.calls).finally(() => Promise.all([stop(), stopSlow()]));
    rounds.push({ baseline, disturbed });
    if (isHeld({ baseline, disturbed })) break;
  }
  print('I5: p99 of healthy calls in ms, alone and beside bad servers', rounds);
  expect(rounds.some(isHeld), JSON.stringify(rounds)).toBe(true);
});

test('[I7] no upstream can block the event loop: delay p99 < 50 ms, max < 250 ms', async () => {
  const rounds: LoopDelay[] = [];
  for (let round = 0; round < 3; round++) {
    tell('reset-delay');
    const stop = beginCalls([...bad, ...worse, ...programs], tokens.at(-1));
    await measureHealthy(size.callsUnderEveryFault).finally(stop);
    tell('delay');
    const heard = await hear(broker, delays);
    rounds.push(heard);
    if (isPrompt(heard)) break;
  }
  print('I7: delay of the event loop in ms, and what the thread computed in a turn of it', rounds);
  if (!rounds.some(({ whole }) => isShort(whole))) {
    process.stderr.write(
      'I7: this machine has too few free processors for the whole delay: what the broker computes is judged alone\n',
    );
  }
  expect(rounds.some(isPrompt), JSON.stringify(rounds)).toBe(true);
});

test('[I6] with every upstream down, lists are answered within 300 ms', async () => {
  for (const child of upstreams) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }
  const [token = ''] = tokens;
  let tools = '';
  for (const method of ['tools/list', 'tools/list', 'prompts/list', 'resources/list']) {
    let slowestMs = 0;
    for (let round = 0; round < size.lists; round++) {
      const started = performance.now();
      const answer = await postModern(url, token, method);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      expect(answer.status).toBe(200);
      if (method === 'tools/list') tools = JSON.stringify(answer.body.result);
    }
    print(`I6: ${method} with every upstream down, ms`, [slowestMs]);
    expect(slowestMs).toBeLessThan(300);
  }
  expect(tools).toContain('one__call');
});

/** The failure that the answer to a call describes. */
async function callOf(token: string, name: string): Promise<Record<string, unknown>> {
  const { body } = await postModern(url, token, 'tools/call', { name, arguments: {} });
  return { ...z.object({ _meta: z.record(z.string(), z.unknown()) }).parse(body.result)._meta };
}

function isHeld({ baseline, disturbed }: { baseline: number; disturbed: number }): boolean {
  return disturbed <= baseline * 1.5 && disturbed <= baseline + 50;
}

/**
 * Judges the whole delay, as security.md defines it. Only if the thread was often ready without getting a processor,
 * which the broker cannot influence, judges the time that the thread itself computes in a turn.
 */
function isPrompt({ whole, computed, waitedShare }: LoopDelay): boolean {
  return isShort(whole) || (waitedShare > scarceShare && isShort(computed));
}

function isShort({ p99Ms, maxMs }: DelayFigures): boolean {
  return p99Ms < 50 && maxMs < 250;
}

/** p99 in milliseconds of calls to the healthy servers, eight at a time. */
async function measureHealthy(calls: number): Promise<number> {
  const [token = ''] = tokens;
  const durations: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < calls) {
      const server = healthy[next++ % healthy.length];
      const started = performance.now();
      const { body } = await postModern(url, token, 'tools/call', { name: `${server}__call`, arguments: {} });
      durations.push(performance.now() - started);
      expect(body.result?.['content']).toEqual([{ type: 'text', text: 'fine' }]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  durations.sort((a, b) => a - b);
  return durations[Math.floor(durations.length * 0.99)] ?? Number.NaN;
}

/** Calls each of these servers repeatedly, each with its own user or with this token. @returns a function that stops */
function beginCalls(servers: readonly string[], token?: string): () => Promise<void> {
  const stop = new AbortController();
  const loops = servers.map(async (server) => {
    const name = `${slugOf(server)}__${programs.includes(server) ? 'hang' : 'call'}`;
    while (!stop.signal.aborted) {
      const { headers, body } = callWithProgress(name, token ?? tokens[bad.indexOf(server) + 1] ?? '');
      // progress extends a call's deadline up to ten minutes: the client ends such a call
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(longestCallMs)]);
      await fetch(url, { method: 'POST', headers, body, signal })
        .then(readToEnd)
        .catch(() => {});
      // without a pause, immediate refusals would make the driver itself the load
      await delay(50);
    }
  });
  return async () => {
    stop.abort();
    await Promise.all(loops);
  };
}

/** Reads an answer without keeping it: the driver has to be faster than the floods. */
async function readToEnd({ body }: Response): Promise<void> {
  for await (const _chunk of body ?? []) continue;
}

function callWithProgress(name: string, token: string): { headers: Record<string, string>; body: string } {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: 1,
  };
  return {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: meta } }),
  };
}

/** Clients of the flooding servers that never read what they asked for. @returns a function that ends them */
function beginSlowClients(): () => Promise<void> {
  const stop = new AbortController();
  const clients = ['progress-flood', 'log-flood'].flatMap((server) => [server, server]);
  const loops = clients.map(async (server) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    const { headers, body } = callWithProgress(`${slugOf(server)}__call`, tokens[bad.indexOf(server) + 1] ?? '');
    const lines = Object.entries({ host: new URL(url).host, ...headers, 'content-length': String(body.length) });
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
    socket.destroy();
  });
  return async () => {
    stop.abort();
    await Promise.all(loops);
  };
}

function slugOf(id: string): string {
  return id.replaceAll('-', '').slice(0, 12);
}

function tell(message: ToBroker): void {
  broker.send(message);
}

function hear<Message>(child: ChildProcess, schema: z.ZodType<Message>): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(schema.parse(message)));
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
}

function print(what: string, figures: unknown): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}

async function freePort(): Promise<number> {
  const { port, close } = await listenLocally(createServer());
  await close();
  return port;
}
