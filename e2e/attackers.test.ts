import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getUserProfile } from '@souk/contract/identity.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { postModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { areLimitsHeld, limitRule } from '../apps/broker/src/testing/figures/limits.ts';
import { atFullSize, printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { productFlags } from '../scripts/product-flags.ts';
import type { AttackStart } from './attackers/messages.ts';
import { hear } from './hostile/hear.ts';
import { delays, isPrompt, sayDelay } from './hostile/judge-delays.ts';
import type { BrokerStart, LoopDelay, ToBroker } from './hostile/messages.ts';
import { freePort, newDataDir } from './product.ts';

/**
 * Measures I7 and I8 while visitors and one ordinary user take all they can: pipelines, unread responses,
 * files and exports, reads of everything. Other users pay for calls meanwhile.
 */
const price = 2;
const people = Array.from({ length: 12 }, (_, index) => `person-${index}@souk.test`);
const attacker = 'mallory@souk.test';
const full = { warmUp: 2_000, delays: 10_000, growth: 50_000, clients: 100, rows: 20_000, rounds: 3 };
const judged = { ...full, warmUp: 200, delays: 1_000, growth: 400, clients: 20, rows: 5_000 };
const size = areLimitsHeld()
  ? atFullSize({ full, short: judged })
  : { ...judged, warmUp: 20, delays: 200, growth: 100, rows: 1_000, rounds: 1 };

let dataDir: string;
let upstream: ChildProcess;
let broker: ChildProcess;
let publicUrl: string;
let tokens: string[];
let answered = 0;
let signedIn: Pick<AttackStart, 'userId' | 'accessToken'>;
/** Responses that the attackers got. */
const told = new Set<string>();

beforeAll(async () => {
  dataDir = await newDataDir();
  upstream = fork(new URL('./attackers/upstream.ts', import.meta.url), { execArgv: [] });
  const { address } = await hear(upstream, z.object({ address: z.string() }));
  const start: BrokerStart = {
    port: await freePort(),
    dataDir: join(dataDir, 'data'),
    catalogue: join(dataDir, 'catalogue'),
    allowlist: join(dataDir, 'allowlist.json'),
    allowAddresses: [address],
    servers: [
      {
        manifest: {
          id: 'shop',
          connection: { type: 'http', url: `http://${address}/mcp` },
          billing: { tier: 'T0', toolCosts: { say: price } },
        },
        expectStatus: 'connected',
      },
    ],
    people: [...people, attacker],
    credits: 10_000_000,
    recordedCalls: size.rows,
    // a busy machine responds late, which says nothing about the server
    env: { HEALTH_INTERVAL_MS: '600000' },
  };
  for (const folder of ['deployed', 'staged']) await mkdir(join(start.catalogue, folder), { recursive: true });
  await writeFile(start.allowlist, '{}');
  broker = fork(new URL('./hostile/broker.ts', import.meta.url), [JSON.stringify(start)], {
    execArgv: [...productFlags],
  });
  ({ publicUrl, tokens } = await hear(broker, z.object({ publicUrl: z.string(), tokens: z.array(z.string()) })));
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email: attacker });
  const profile = await fetch(`${publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${accessToken}` } });
  signedIn = { accessToken, userId: getUserProfile.answer.parse(await profile.json()).id };
  // loaded code and filled caches count in no figure
  const stop = await attack();
  await payForCalls(size.warmUp);
  await stop();
});
afterAll(async () => {
  if (upstream?.connected) upstream.disconnect();
  if (broker?.connected) tell('stop');
  await new Promise((resolve) => (broker?.exitCode === null ? broker.once('exit', resolve) : resolve(undefined)));
  await rm(dataDir, { recursive: true, force: true });
});

test('[I7] no visitor and no user can block the event loop: delay p99 < 50 ms, max < 250 ms', async () => {
  const rounds: LoopDelay[] = [];
  // they do what they can, until they are limited
  const expected = ['files 200', 'files 429', 'visits 200', 'visits 429', 'pipelines served'];
  const areToldAll = () => expected.every((what) => told.has(what));
  while (!areToldAll() || (rounds.length < size.rounds && !rounds.some(isPrompt))) {
    const stop = await attack();
    tell('reset-delay');
    await payForCalls(size.delays);
    tell('delay');
    rounds.push(await hear(broker, delays));
    await stop();
  }
  print('I7: delay of the event loop beside attackers, ms', rounds);
  printFigure(sayDelay(rounds.at(-1)));
  expect([...told]).toEqual(expect.arrayContaining(expected));
  limitRule(rounds.some(isPrompt), sayDelay(rounds.at(-1)), 'p99 50 ms, max 250 ms');
});

test('[I8] resources that attackers took are released, and paid calls meanwhile are charged as answered', async () => {
  const before = await holdings();
  const stop = await attack();
  await payForCalls(size.growth);
  const during = await holdings();
  await stop();
  let after = await holdings();
  const isOver = areLimitsHeld() ? isBack : isClosed;
  await waitUntil('the resources that attackers used are released', async () => {
    after = await holdings();
    return isOver(before, after);
  });
  print('I8: memory in MiB and what is open, before, beside and after attackers', { before, during, after });
  const heaps = [before, during, after].map(({ heapMiB }) => heapMiB.toFixed(0));
  printFigure(
    `heap ${heaps.join(', ')} MiB before, beside and after, resident ${after.residentMiB.toFixed(0)} MiB after`,
  );
  tell('ledger');
  const charges = await hear(broker, z.object({ charged: z.number(), faults: z.number() }));
  // the attacker's calls are charged if they were answered and their responses read
  expect(charges.faults).toBe(0);
  expect(charges.charged).toBeGreaterThanOrEqual(answered * price);
});

type Held = z.infer<typeof held>;
const held = z.object({ residentMiB: z.number(), heapMiB: z.number(), open: z.record(z.string(), z.number()) });

async function holdings(): Promise<Held> {
  tell('holdings');
  return hear(broker, held);
}

/** Whether nothing stays open except a few connections that are being closed. */
function isClosed(before: Held, after: Held): boolean {
  return Object.entries(after.open).every(([kind, count]) => count <= (before.open[kind] ?? 0) + 8);
}

/** Whether the heap, to a tenth, and resident memory, except for what the allocator keeps, are back to their sizes. */
function isBack(before: Held, after: Held): boolean {
  const isHeapBack = after.heapMiB <= before.heapMiB * 1.1;
  return isClosed(before, after) && isHeapBack && after.residentMiB <= before.residentMiB * 1.1 + 32;
}

/** @returns a function that ends the attack */
async function attack(): Promise<() => Promise<void>> {
  const start: AttackStart = { publicUrl, token: tokens.at(-1) ?? '', ...signedIn };
  const child = fork(new URL('./attackers/attack.ts', import.meta.url), [JSON.stringify(start)], { execArgv: [] });
  await hear(child, z.object({ begun: z.literal(true) }));
  return async () => {
    child.send('stop');
    const seen = await hear(child, z.object({ answered: z.record(z.string(), z.number()) }));
    child.disconnect();
    for (const what of Object.keys(seen.answered)) told.add(what);
  };
}

/** Makes the users' calls, sequentially per client; each is answered. */
async function payForCalls(calls: number): Promise<void> {
  let begun = 0;
  const client = async (index: number) => {
    const token = tokens[index % people.length] ?? '';
    while (begun < calls) {
      begun++;
      const call = { name: 'shop__say', arguments: { end: 'ok' } };
      const { body } = await postModern(`${publicUrl}/mcp`, token, 'tools/call', call);
      // a busy machine may not hold the price in time: the call was not sent, and clients retry
      if (Object(body.result?.['_meta'])['souk/code'] === 'charging_unavailable') {
        begun--;
        continue;
      }
      expect(body.result?.['content']).toEqual([{ type: 'text', text: 'done' }]);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: size.clients }, (_, index) => client(index)));
}

function tell(message: ToBroker): void {
  broker.send(message);
}

function print(what: string, figures: unknown): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
