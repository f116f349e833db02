import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromPart } from './serve-part.ts';

const defaultReadyMs = 60_000;
const defaultStopMs = 20_000;

/** A program of the benchmark in its own process. */
export type Part<Ready, Final> = {
  pid: number;
  /** Values that it sent when it was ready. */
  ready: Ready;
  /** Stops it, waits until it has ended, and returns its last message. A second call returns the same. */
  stop(): Promise<Final>;
  /** Kills it unless it has ended. */
  kill(): void;
};

/**
 * Starts a program that calls servePart and waits until it is ready.
 * @param input plain JSON for its `start`
 * @param core the core for it and its children; undefined: any
 */
export async function startPart<Ready, Final = Record<string, never>>(
  program: URL,
  input: unknown,
  {
    core,
    nodeOptions = [],
    readyWithinMs = defaultReadyMs,
    stoppedWithinMs = defaultStopMs,
  }: {
    core: number | undefined;
    nodeOptions?: readonly string[];
    readyWithinMs?: number;
    stoppedWithinMs?: number;
  },
): Promise<Part<Ready, Final>> {
  const node = [process.execPath, ...nodeOptions, fileURLToPath(program), JSON.stringify(input)];
  const [command = '', ...args] = core === undefined ? node : ['taskset', '-c', String(core), ...node];
  // taskset executes the program in its place (execve), so pid and channel remain
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const name = program.pathname.split('/').at(-1) ?? '';
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  let stopping: Promise<Final> | undefined;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} exited unexpectedly`);
    const final = nextMessage<Ready, Final>(child, name, stoppedWithinMs);
    child.send('stop');
    const message = await final;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    if (message.type !== 'stopped') throw new Error(`${name} sent an unexpected message`);
    return message.final;
  };
  const message = await nextMessage<Ready, Final>(child, name, readyWithinMs);
  if (message.type !== 'ready') throw new Error(`${name} sent an unexpected message`);
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  };
  return { pid, ready: message.ready, stop: () => (stopping ??= stop()), kill };
}

/** Waits for the next message. Rejects if the process ends or, after killing it, on a timeout. */
async function nextMessage<Ready, Final>(
  child: ChildProcess,
  name: string,
  withinMs: number,
): Promise<FromPart<Ready, Final>> {
  const { promise, resolve, reject } = Promise.withResolvers<FromPart<Ready, Final>>();
  const onExit = () => reject(new Error(`${name} exited unexpectedly`));
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`${name} did not answer within ${withinMs} ms`));
  }, withinMs);
  child.once('exit', onExit);
  child.once('error', reject);
  // why the cast: our own program on a private channel; both ends use the type FromPart
  child.once('message', (message) => resolve(message as FromPart<Ready, Final>));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off('exit', onExit).off('error', reject);
  }
}
