import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Fault } from '../apps/broker/src/testing/servers/fault-server.ts';
import { postModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { areLimitsHeld, limitRule } from '../apps/broker/src/testing/figures/limits.ts';
import { atFullSize, printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { productFlags } from '../scripts/product-flags.ts';
import { hear } from './hostile/hear.ts';
import {
  areAtOnce,
  delays,
  isAsFast,
  isPrompt,
  isShort,
  sayDelay,
  isUndisturbed,
  sumUp,
  type Lists,
  type Neighbours,
  type Turn,
} from './hostile/judge-delays.ts';
import type { BadCall, BrokerStart, LoopDelay, ToBroker, ToCallers } from './hostile/messages.ts';
import { timed } from './hostile/timed.ts';
import { freePort, newDataDir } from './product.ts';

/**
 * Measures I5, I6 and I7: six healthy servers next to seven bad ones, and then every fault at the same
 * time. `npm run prove` and `npm run limits` judge the figures; in `npm test` every call to a healthy server has to
 * succeed.
 */
const healthy = ['one', 'two', 'three', 'four', 'five', 'six'];
const floods = ['endless-stream', 'progress-flood', 'log-flood'];
const bad = ['dead', 'hang', 'garbage', 'hostile-template', ...floods];
/** Concurrent calls per flooding server: a flood on one stream is less than one on several. */
const floodsAtOnce = 4;
/** Calls in which earlier changes (connections, loaded code) still take effect. */
const callsToSettle = 200;
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
const programs = ['flood', 'notices', 'deep', 'exit-on-call', 'chatty', 'hungry', 'forks', 'litter', 'endless-stderr'];

const full = { turns: 5, calls: 2000, callsUnderEveryFault: 10_000, lists: 100, rounds: 3 };
const judged = { ...full, turns: 3, calls: 800, callsUnderEveryFault: 800, lists: 1 };
/** Sizes of the measurement; `calls` is the number per turn, alone and next to the bad servers. */
const size = areLimitsHeld()
  ? atFullSize({ full, short: judged })
  : { turns: 1, calls: 100, callsUnderEveryFault: 200, lists: 1, rounds: 1 };

const root = join(import.meta.dirname, '..');
let dataDir: string;
/** Good and bad servers run in separate processes, so that the bad ones cannot slow the good ones. */
let upstreams: ChildProcess[];
let broker: ChildProcess;
let callers: ChildProcess;
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
      // healthy servers must be able to respond on a slow machine too
      deadlines: { callMs: healthy.includes(id) || id.startsWith('huge-') ? 300_000 : 1000 },
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
  const program = join(root, 'apps/broker/src/testing/servers/fault-stdio.ts');
  const entries = programs.map((fault) => [fault, { argv: ['{node}', program, fault], reads: [root] }]);
  await writeFile(start.allowlist, JSON.stringify(Object.fromEntries(entries)));
  broker = fork(new URL('./hostile/broker.ts', import.meta.url), [JSON.stringify(start)], {
    execArgv: [...productFlags],
  });
  const ready = await hear(broker, z.object({ publicUrl: z.string(), tokens: z.array(z.string()) }));
  url = `${ready.publicUrl}/mcp`;
  tokens = ready.tokens;
  callers = fork(new URL('./hostile/callers.ts', import.meta.url), { execArgv: [] });
});
afterAll(async () => {
  for (const child of [...(upstreams ?? []), callers]) if (child?.connected) child.disconnect();
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
    limitRule(grownBytes < 64 * 2 ** 20, `${server}: ${(grownBytes / 2 ** 20).toFixed(0)} MiB more`, '64 MiB');
  }
});

test('[I5] next to dead, hanging, garbage and flooding servers, a hostile template and slow clients, calls to other servers are as fast as before', async () => {
  const disturbance = {
    calls: [...bad, ...Array.from({ length: floodsAtOnce - 1 }, () => floods).flat()].map((server) => badCall(server)),
    unread: ['progress-flood', 'log-flood'].flatMap((server) => [badCall(server), badCall(server)]),
  };
  const rounds: Neighbours[] = [];
  for (let round = 0; round < size.rounds; round++) {
    const alone: Turn[] = [];
    const beside: Turn[] = [];
    // in turns: other work of the machine in these seconds slows both sides
    for (let turn = 0; turn < size.turns; turn++) {
      alone.push(await timeHealthy());
      const stop = beginCalls(disturbance);
      beside.push(await timeHealthy().finally(stop));
    }
    rounds.push({ alone: sumUp(alone), beside: sumUp(beside) });
    if (rounds.some(isUndisturbed)) break;
  }
  print('I5: healthy calls alone and beside bad servers, ms', rounds);
  const { alone, beside } = rounds.at(-1) ?? {};
  printFigure(`p99 ${alone?.p99Ms.toFixed(1)} ms alone, ${beside?.p99Ms.toFixed(1)} ms beside them`);
  if (!rounds.some(({ alone, beside }) => isAsFast(alone.p99Ms, beside.p99Ms)))
    printScarce('I5', 'the durations of calls');
  limitRule(
    rounds.some(isUndisturbed),
    JSON.stringify(rounds.at(-1)),
    'p99 beside them at most 1.5 times that alone, and 50 ms more',
  );
});

test('[I7] no upstream can block the event loop: delay p99 < 50 ms, max < 250 ms', async () => {
  const rounds: LoopDelay[] = [];
  for (let round = 0; round < size.rounds; round++) {
    tell('reset-delay');
    const calls = [...bad, ...worse, ...programs].map((server) => badCall(server, tokens.at(-1)));
    const stop = beginCalls({ calls, unread: [] });
    await callHealthy(size.callsUnderEveryFault).finally(stop);
    const heard = await delaysOfBroker();
    rounds.push(heard);
    if (isPrompt(heard)) break;
  }
  print('I7: delay of the event loop in ms, and what the thread computed in a turn of it', rounds);
  printFigure(sayDelay(rounds.at(-1)));
  if (!rounds.some(({ whole }) => isShort(whole))) {
    printScarce('I7', 'the whole delay');
  }
  limitRule(rounds.some(isPrompt), sayDelay(rounds.at(-1)), 'p99 50 ms, max 250 ms');
});

test('[I6] with every upstream down, lists are returned within 300 ms', async () => {
  for (const child of upstreams) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }
  const [token = ''] = tokens;
  let tools = '';
  for (const method of ['tools/list', 'tools/list', 'prompts/list', 'resources/list']) {
    const rounds: Lists[] = [];
    for (let round = 0; round < size.rounds; round++) {
      tell('reset-delay');
      let slowestMs = 0;
      for (let list = 0; list < size.lists; list++) {
        const { answer, ms } = await timed(() => postModern(url, token, method));
        slowestMs = Math.max(slowestMs, ms);
        expect(answer.status).toBe(200);
        if (method === 'tools/list') tools = JSON.stringify(answer.body.result);
      }
      rounds.push({ slowestMs, ...(await delaysOfBroker()) });
      if (rounds.some(areAtOnce)) break;
    }
    print(`I6: ${method} with every upstream down`, rounds);
    printFigure(`${method}: the slowest of ${size.lists} took ${rounds.at(-1)?.slowestMs.toFixed(0)} ms`);
    limitRule(rounds.some(areAtOnce), `${method}: ${rounds.at(-1)?.slowestMs.toFixed(0)} ms`, '300 ms');
  }
  expect(tools).toContain('one__call');
});

/** Makes a call, and returns the failure that its result describes. */
async function callOf(token: string, name: string): Promise<Record<string, unknown>> {
  const { body } = await postModern(url, token, 'tools/call', { name, arguments: {} });
  return { ...z.object({ _meta: z.record(z.string(), z.unknown()) }).parse(body.result)._meta };
}

/** Times the calls of a turn, without those in which earlier changes take effect. */
async function timeHealthy(): Promise<Turn> {
  await callHealthy(callsToSettle);
  tell('reset-delay');
  const durations = await callHealthy(size.calls);
  return { durations, ...(await delaysOfBroker()) };
}

/** Returns the delays since the last `reset-delay`. */
function delaysOfBroker(): Promise<LoopDelay> {
  tell('delay');
  return hear(broker, delays);
}

/** Returns the durations in milliseconds of calls to the healthy servers, eight concurrently. */
async function callHealthy(calls: number): Promise<number[]> {
  const [token = ''] = tokens;
  const durations: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < calls) {
      const server = healthy[next++ % healthy.length];
      const call = { name: `${server}__call`, arguments: {} };
      const { answer, ms } = await timed(() => postModern(url, token, 'tools/call', call));
      durations.push(ms);
      expect(answer.body.result?.['content']).toEqual([{ type: 'text', text: 'fine' }]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return durations;
}

/** Builds a call of a bad server, by its own user unless another user's token is given. */
function badCall(server: string, token = tokens[bad.indexOf(server) + 1] ?? ''): BadCall {
  return { name: `${slugOf(server)}__${programs.includes(server) ? 'hang' : 'call'}`, token };
}

/** @returns a function that stops the calls */
function beginCalls(calls: { calls: BadCall[]; unread: BadCall[] }): () => Promise<void> {
  const send = (message: ToCallers) => callers.send(message);
  send({ url, ...calls });
  return async () => {
    send('stop');
    await hear(callers, z.object({ stopped: z.literal(true) }));
  };
}

function slugOf(id: string): string {
  return id.replaceAll('-', '').slice(0, 12);
}

function tell(message: ToBroker): void {
  broker.send(message);
}

function print(what: string, figures: unknown): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}

function printScarce(invariant: string, what: string): void {
  process.stderr.write(
    `${invariant}: this machine has too few free processors for ${what}: what the broker computes is judged alone\n`,
  );
}
