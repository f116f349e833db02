import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const readySchema = z.object({ ready: z.literal(true), url: z.url() });

export type StartedService = {
  /** Address from the ready line. */
  url: string;
  child: ChildProcess;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
};

/** Creates a folder that is removed at the end of the test. */
export function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'souk-service-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a service's main.ts as its own process and waits for the ready line. */
export async function runService(
  program: URL,
  environment: { DATA_DIR: string; SOUK_SERVICE_SECRET?: string },
): Promise<StartedService> {
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...environment },
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    exited.then(([code]) => Promise.reject(new Error(`the service ended with ${String(code)} before it was ready`))),
  ]);
  const { url } = readySchema.parse(JSON.parse(String(line)));
  return {
    url,
    child,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}

/** Deadline for conditions that never hold. A slow machine may need long for the others. */
const hangMs = 300_000;

/** Repeats `condition` until it returns a value; fails with `what` after five minutes. */
export async function eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + hangMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined) return result;
    if (performance.now() > endMs) throw new Error(`not within ${hangMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the result of `act`. Fails if it took no longer than `leastMs`. */
export async function takingOver<T>(leastMs: number, act: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await act();
  const tookMs = performance.now() - begun;
  if (tookMs <= leastMs) throw new Error(`it took ${tookMs} ms, not more than ${leastMs}`);
  return result;
}
