import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { offersWithoutWelcome } from '../apps/broker/src/testing/people/offers-without-welcome.ts';
import { freePort, newDataDir, programEnv } from './product.ts';

/** A product with additional parts, in a process that sends its address as the first message. */
export type ForkedProduct = {
  publicUrl: string;
  /** The whole first message. */
  ready: Record<string, unknown>;
  child: ChildProcess;
  close(): Promise<void>;
};

/**
 * Starts a product in a forked process.
 * @param program ends when its parent disconnects
 */
export async function forkProduct(program: URL): Promise<ForkedProduct> {
  const dataDir = await newDataDir();
  const own = { PORT: String(await freePort()), DATA_DIR: dataDir, OFFERS_FILE: await offersWithoutWelcome(dataDir) };
  const env = { ...programEnv(), ...own };
  const child = fork(program, { execArgv: [], env });
  const [ready] = await once(child, 'message');
  return {
    publicUrl: String(ready.publicUrl),
    ready,
    child,
    async close() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
