import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import { parseObject } from '#platform/json.ts';
import type { Log } from '#platform/log.ts';
import { whenStarted } from '#platform/when-started.ts';

/** For a start that hangs. */
const startDeadlineMs = 60_000;
const stopDeadlineMs = 3_000;
/** These programs run beside the product on small machines: Node collects garbage sooner, for a little more work a call. */
const memoryFlags = ['--max-semi-space-size=2', '--max-old-space-size=128'];
const maxRestartDelayMs = 300_000;
/** A program that ran this long counts as healthy: its next restart is quick again. */
const steadyAfterMs = 60_000;

/** Our services come from the repository that the broker comes from: what Node compiled is kept for them too (scripts/run.mjs). */
const { NODE_COMPILE_CACHE: compiled } = process.env;
const compileCache = compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled };

export type ServicePrograms = Readonly<Record<string, string>>;

/** Our own demo services, which Souk starts and keeps running. */
export type Services = {
  readonly names: ReadonlySet<string>;
  /** The current address of a service; undefined while it is not running. */
  address(name: string): string | undefined;
  /** How long until a service that has ended is started again; undefined when no restart is scheduled. */
  restartsInMs(name: string): number | undefined;
  /** The secret that the services demand on every connection; new at each start of the broker. */
  readonly secret: string;
  /** Starts a service and keeps it running. Resolves once it is ready or has failed, whoever started it. */
  start(name: string): Promise<void>;
  /** Called when a service came up or went down. */
  onChange(listener: (name: string) => void): void;
  pids(): ReadonlyMap<string, number>;
  /** None is started again from now on. */
  beginStop(): void;
  stop(): Promise<void>;
};

type Running = { child: ChildProcess; url: string | undefined; startedAtMs: number };

/**
 * Runs each program (`name -> TypeScript file`) as a child of the broker, with an environment of few variables and
 * a folder of its own. A program that ends is started again after `restartDelayMs`, doubling while it keeps failing.
 */
export function createServices(options: {
  programs: ServicePrograms;
  dataDir: string;
  secret: string;
  restartDelayMs: number;
  clock: Clock;
  log: Log;
}): Services {
  const { programs, log } = options;
  const time = elapsedTime(options.clock);
  const running = new Map<string, Running>();
  const failures = new Map<string, number>();
  const restartAtMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
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
    restartAtMs.set(name, time.now() + delayMs);
    const timer = setTimeout(() => {
      timers.delete(timer);
      restartAtMs.delete(name);
      void launch(name);
    }, delayMs);
    timers.add(timer);
  }

  async function launch(name: string): Promise<void> {
    const program = programs[name];
    if (program === undefined || stopping) return;
    const dataDir = join(options.dataDir, 'services', name);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const child = spawn(process.execPath, [...memoryFlags, program], {
      env: {
        PATH: '/usr/bin:/bin',
        LANG: 'C.UTF-8',
        DATA_DIR: dataDir,
        PORT: '0',
        SOUK_SERVICE_SECRET: options.secret,
        ...compileCache,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      // in a group of its own: Ctrl+C in a terminal is for the broker, which lets calls under way finish
      detached: true,
    });
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

    await new Promise<void>((resolve) => {
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
        log.warn({ service: name, code, signal }, 'a service ended and will be started again');
        changed(name);
        restartLater(name);
      });
    });
  }

  function beginStop(): void {
    stopping = true;
    for (const timer of timers) clearTimeout(timer);
  }

  return {
    names: new Set(Object.keys(programs)),
    secret: options.secret,
    address: (name) => running.get(name)?.url,
    restartsInMs(name) {
      const atMs = restartAtMs.get(name);
      return atMs === undefined ? undefined : Math.max(0, atMs - time.now());
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

async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin?.end();
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
  await closed;
  clearTimeout(deadline);
}

/** The address in the line `{"ready":true,"url":…}`; undefined for other lines. */
function readyUrl(line: string): string | undefined {
  const url = parseObject(line)?.['url'];
  return typeof url === 'string' ? url : undefined;
}
