import { fork, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hasNginx } from '../apps/broker/src/testing/network/nginx.ts';
import { hasPgBouncer } from '../apps/broker/src/testing/databases/pgbouncer.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { atFullSize, printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { loadClockMs, startLoad, type Load } from './brokers/load.ts';
import { startShop, type Shop } from './brokers/shop.ts';
import type { AttackStart } from './crowd/messages.ts';
import { hear } from './hostile/hear.ts';
import { newDataDir } from './product.ts';

// Two brokers of a shop in which many servers are unreachable: names that no resolver answers, servers that accept a
// request and stay silent. Attackers pipeline, hold connections of brokers with a low limit, and fill a personal
// folder; brokers are restarted in turn. Meanwhile every sign-in and every call of other users succeeds.

const root = join(import.meta.dirname, '..');
const size = atFullSize({
  full: {
    live: 700,
    dead: 200,
    silent: 100,
    people: 20,
    clientsPerPerson: 9,
    pauseMs: 1_000,
    restarts: 20,
    calls: 2_000,
    attack: { pipelines: 4, idleConnections: 700 },
    openFiles: 2_048,
  },
  // the attackers leave other users a part of a busy machine: a sign-in waits 5 s for its provider, the broker itself
  short: {
    live: 20,
    dead: 8,
    silent: 8,
    people: 2,
    clientsPerPerson: 2,
    pauseMs: 100,
    restarts: 1,
    calls: 40,
    attack: { pipelines: 1, idleConnections: 350 },
    openFiles: 1_024,
  },
});
/** Times as in production; in the short form the shortest that show the same. */
const times = atFullSize({
  full: { drainGraceMs: 5_000, proxyKeepAliveMs: 5_000 },
  short: { drainGraceMs: 500, proxyKeepAliveMs: 1_000 },
});
/** Time for which nginx skips a broker that was down (docs/deploy). */
const passedOverMs = 2_500;
const people = Array.from({ length: size.people }, (_, index) => `person-${index}`);
const attacker = 'mallory';

const binaries = findPostgresBinaries();
const missing = [
  ...(hasNginx() ? [] : ['nginx']),
  ...(hasPgBouncer() ? [] : ['pgbouncer']),
  ...(binaries === undefined ? ['postgresql'] : []),
  // a separate resolver needs a mount and port 53
  ...(process.getuid?.() === 0 ? [] : ['root']),
];
if (missing.length > 0) process.stdout.write(`[crowd] SKIPPED: needs ${missing.join(', ')}\n`);

describe.skipIf(missing.length > 0)('two brokers with many servers', () => {
  const resolver = createSocket('udp4');
  let asked = 0;
  let servers: ChildProcess;
  let shop: Shop;
  let load: Load | undefined;
  const attacks: ChildProcess[] = [];

  beforeAll(async () => {
    resolver.on('message', () => (asked += 1)).bind(53, '127.0.53.53');
    await once(resolver, 'listening');
    servers = fork(new URL('./crowd/servers.ts', import.meta.url), { execArgv: [] });
    const { address } = await hear(servers, z.object({ address: z.string() }));
    const filesystem = JSON.parse(await readFile(join(root, 'catalogue/deployed/filesystem.json'), 'utf8'));
    shop = await startShop(binaries ?? '', {
      ...times,
      brokers: 2,
      people: [...people, attacker],
      addresses: [address],
      manifests: [
        { ...filesystem, icon: undefined },
        ...manifests('live', size.live, (name) => `http://${address}/live/${name}`),
        ...manifests('silent', size.silent, (name) => `http://${address}/silent/${name}`),
        ...manifests('dead', size.dead, (name) => `https://${name}.souk.test/mcp`),
      ],
      env: { SIGN_IN_PER_MINUTE: '100000', PERSONAL_FOLDER_MB: '20', FREE_DISK_MB: '1' },
      through: await scarce(),
    });
  });
  afterAll(async () => {
    await load?.stop();
    for (const attack of attacks) if (attack.connected) attack.disconnect();
    await shop?.stop();
    if (servers?.connected) servers.disconnect();
    resolver.close();
  });

  test('[crowd] no sign-in and no call of other users fails, however many servers and attackers', async () => {
    const started = startLoad(shop.link, shop.tokens.slice(0, size.people), size.clientsPerPerson, size.pauseMs);
    load = started;
    const { calls } = started;
    const more = (count: number) => {
      const wanted = calls.length + count;
      return waitUntil(`${count} more calls`, () => calls.length >= wanted);
    };
    const signIns = signInAgainAndAgain(shop.publicUrl);
    const stops = await Promise.all(shop.ports.map((port) => attack(port)));
    await more(size.calls);
    for (let restart = 0; restart < size.restarts; restart += 1) {
      expect(await shop.restart(restart % 2), 'exit code').toBe(0);
      await pause(passedOverMs);
    }
    await more(size.calls);
    const signedIn = await signIns();
    await started.stop();
    const told = await Promise.all(stops.map((stop) => stop()));
    process.stdout.write(`[crowd] attackers were answered ${JSON.stringify(told)}\n`);
    const calledMs = calls.map(({ waitedMs }) => waitedMs);
    printFigure(
      `${calls.length} calls, ${quantiles(calledMs)}; ${signedIn.tookMs.length} sign-ins, ${quantiles(signedIn.tookMs)}`,
    );
    // each attack continued
    expect(asked).toBeGreaterThan(0);
    for (const answered of told)
      for (const what of ['pipelines served', 'idle connections held', 'files written'])
        expect(answered).toHaveProperty([what]);
    const lost = calls.filter(({ outcome }) => outcome !== 'answered');
    if (lost.length > 0) process.stdout.write(`[crowd] nginx said:\n${(await shop.nginxErrors()).join('\n')}\n`);
    expect(lost).toEqual([]);
    expect(signedIn.failed).toEqual([]);
  }, 1_800_000);

  /** @returns a function that ends the attack, and returns the responses */
  async function attack(port: number): Promise<() => Promise<Record<string, number>>> {
    const start: AttackStart = {
      port,
      host: new URL(shop.publicUrl).host,
      token: shop.tokens.at(-1) ?? '',
      ...size.attack,
    };
    const child = fork(new URL('./crowd/attack.ts', import.meta.url), [JSON.stringify(start)], { execArgv: [] });
    attacks.push(child);
    await hear(child, z.object({ begun: z.literal(true) }));
    return async () => {
      child.send('stop');
      const { answered } = await hear(child, z.object({ answered: z.record(z.string(), z.number()) }));
      return answered;
    };
  }
});

function manifests(kind: string, count: number, url: (name: string) => string): { id: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `${kind}-${index}`;
    const about = {
      name: id,
      serviceType: 'mcp',
      version: '1.0.0',
      description: `A ${kind} server.`,
      category: 'data',
    };
    return { id, ...about, connection: { type: 'http', url: url(id) }, billing: { tier: 'T0' } };
  });
}

/**
 * Builds a command that runs a program with few open files and a resolver that never answers, and replaces itself by
 * it.
 */
async function scarce(): Promise<string[]> {
  const file = join(await newDataDir(), 'resolv.conf');
  await writeFile(file, 'nameserver 127.0.53.53\noptions timeout:5 attempts:2\n');
  const script = `mount --bind ${file} /etc/resolv.conf && ulimit -n ${size.openFiles} && exec "$@"`;
  return ['unshare', '--mount', 'sh', '-c', script, 'sh'];
}

/** Signs new users in, sequentially. @returns a function that ends it, and says what happened */
function signInAgainAndAgain(publicUrl: string): () => Promise<{ tookMs: number[]; failed: string[] }> {
  const seen = { tookMs: [] as number[], failed: [] as string[] };
  const over = new AbortController();
  const running = (async () => {
    for (let person = 0; !over.signal.aborted; person++) {
      const begunMs = loadClockMs();
      await new ScriptedBrowser(publicUrl).signInWeb({ email: `new-${person}@souk.test` }).then(
        () => seen.tookMs.push(loadClockMs() - begunMs),
        (error: unknown) => seen.failed.push(String(error)),
      );
      await pause(500);
    }
  })();
  return async () => {
    over.abort();
    await running;
    return seen;
  };
}

function quantiles(ms: readonly number[]): string {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
