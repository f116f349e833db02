import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import { parseObject } from '#platform/json.ts';
import type { Log } from '#platform/log.ts';
import { whenStarted } from '#platform/when-started.ts';

const startDeadlineMs = 60_000;
const stopDeadlineMs = 3_000;
/**
 * Limits memory, because services run alongside the product on small machines: Node collects garbage earlier, at the
 * cost of a little more work per call.
 */
const memoryFlags = ['--max-semi-space-size=2', '--max-old-space-size=128'];
const maxRestartDelayMs = 300_000;
/** Run time after which a service counts as healthy, so that its next restart is quick again. */
const steadyAfterMs = 60_000;

/** Compile cache of the broker, which the services share because they come from its repository (scripts/run.mjs). */
const { NODE_COMPILE_CACHE: compiled } = process.env;
const compileCache = compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled };

/** The TypeScript file of each service, by name. */
export type ServicePrograms = Readonly<Record<string, string>>;

/** The demo services that Souk starts and keeps running. */
export type Services = {
  /** Returns the current address of a service; undefined while it is not running. */
  address(name: string): string | undefined;
  /** Returns the time until the restart of a service that has ended; undefined when none is scheduled. */
  restartsInMs(name: string): number | undefined;
  /** The secret that the services require on every connection; new at each start of the broker. */
  readonly secret: string;
  /** Starts a service and keeps it running. Resolves once it is ready or has failed, whichever caller started it. */
  start(name: string): Promise<void>;
  /** Calls `listener` when a service came up or went down. */
  onChange(listener: (name: string) => void): void;
  pids(): ReadonlyMap<string, number>;
  /** Prevents restarts. */
  beginStop(): void;
  stop(): Promise<void>;
};

type ServiceOptions = {
  programs: ServicePrograms;
  dataDir: string;
  secret: string;
  restartDelayMs: number;
  clock: Clock;
  log: Log;
};

/** The process of a service; `url` is set once it is ready. */
type Running = { child: ReturnType<typeof spawnService>; url: string | undefined; startedAtMs: number };

/**
 * Runs each program as a child of the broker, with few environment variables and its own folder. A program that ends is
 * restarted after `restartDelayMs`, doubling while it keeps failing.
 */
export function createServices(options: ServiceOptions): Services {
  const { programs, log } = options;
  const time = elapsedTime(options.clock);
  const running = new Map<string, Running>();
  const failures = new Map<string, number>();
  const restarts = new Map<string, { atMs: number; timer: NodeJS.Timeout }>();
  const listeners = new Set<(name: string) => void>();
  const started = new Map<string, Promise<void>>();
  let stopping = false;

  const changed = (name: string) => {
    for (const listener of listeners) listener(name);
  };

  function restartLater(name: string): void {
    const count = failures.get(name) ?? 0;
    failures.set(name, count + 1);
    const delayMs = Math.min(options.restartDelayMs * 2 ** count, maxRestartDelayMs);
    const timer = setTimeout(() => {
      restarts.delete(name);
      void launch(name);
    }, delayMs);
    restarts.set(name, { atMs: time.now() + delayMs, timer });
  }

  async function launch(name: string): Promise<void> {
    const program = programs[name];
    if (program === undefined || stopping) return;
    const child = spawnService(name, program, options);
    const entry: Running = { child, url: undefined, startedAtMs: time.now() };
    running.set(name, entry);
    try {
      await whenStarted(child);
    } catch (error) {
      running.delete(name);
      log.error({ service: name, err: error }, 'a service cannot be started');
      changed(name);
      if (!stopping) restartLater(name);
      return;
    }
    createInterface({ input: child.stderr }).on('line', (line) => log.warn({ service: name }, line.slice(0, 500)));
    // The child may end before it reads anything: 'close' reports that, a failed write need not.
    child.stdin.on('error', () => {});
    await readyOrEnded(name, entry);
  }

  function readyOrEnded(name: string, entry: Running): Promise<void> {
    const { child } = entry;
    return new Promise<void>((resolve) => {
      const deadline = setTimeout(() => {
        log.error({ service: name }, 'a service did not become ready in time');
        child.kill('SIGKILL');
      }, startDeadlineMs);
      createInterface({ input: child.stdout }).on('line', (line) => {
        const url = readyUrl(line);
        if (!url || entry.url) return;
        clearTimeout(deadline);
        entry.url = url;
        resolve();
        changed(name);
      });
      child.on('close', (code, signal) => {
        clearTimeout(deadline);
        running.delete(name);
        if (time.now() - entry.startedAtMs > steadyAfterMs) failures.delete(name);
        resolve();
        if (stopping) return;
        log.warn({ service: name, code, signal }, 'a service ended and will be restarted');
        changed(name);
        restartLater(name);
      });
    });
  }

  function beginStop(): void {
    stopping = true;
    for (const { timer } of restarts.values()) clearTimeout(timer);
  }

  return {
    secret: options.secret,
    address: (name) => running.get(name)?.url,
    restartsInMs(name) {
      const restart = restarts.get(name);
      return restart && Math.max(0, restart.atMs - time.now());
    },
    start(name) {
      const starting = started.get(name) ?? launch(name);
      started.set(name, starting);
      return starting;
    },
    onChange: (listener) => void listeners.add(listener),
    pids: () => new Map([...running].flatMap(([name, { child }]) => (child.pid ? [[name, child.pid] as const] : []))),
    beginStop,
    async stop() {
      beginStop();
      await Promise.all([...running.values()].map(({ child }) => endChild(child)));
    },
  };
}

function spawnService(name: string, program: string, { dataDir, secret }: ServiceOptions) {
  const folder = join(dataDir, 'services', name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return spawn(process.execPath, [...memoryFlags, program], {
    env: {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      DATA_DIR: folder,
      PORT: '0',
      SOUK_SERVICE_SECRET: secret,
      ...compileCache,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // its own process group: Ctrl+C in a terminal is for the broker, which lets calls under way finish
    detached: true,
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin?.end();
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
  await closed;
  clearTimeout(deadline);
}

/** Returns the address in the line `{"ready":true,"url":…}`; undefined for other lines. */
function readyUrl(line: string): string | undefined {
  const url = parseObject(line)?.['url'];
  return typeof url === 'string' ? url : undefined;
}
