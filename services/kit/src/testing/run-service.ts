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
  /** The address from the ready line. */
  url: string;
  child: ChildProcess;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
};

/** A folder that the test removes at its end. */
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

/** Asks again until `condition` is true; fails after `deadlineMs`. */
export async function eventually<T>(
  what: string,
  deadlineMs: number,
  condition: () => Promise<T | undefined>,
): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined) return result;
    if (performance.now() > endMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
