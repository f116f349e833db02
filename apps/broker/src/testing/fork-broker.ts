import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compileCache } from './compile-cache.ts';
import { temporaryRoot } from './databases/databases.ts';
import { freePort } from './network/free-port.ts';
import { offersWithoutWelcome } from './people/offers-without-welcome.ts';

export type ForkedBroker = {
  port: number;
  /** Kills the process, which cannot finish anything. */
  kill(): Promise<void>;
  /** Suspends the process; `thaw` resumes it, as if no time had passed for it. */
  freeze(): void;
  thaw(): void;
};

/** Limits for tests that poll until something has happened. */
const unlimited = { API_REQUESTS_PER_MINUTE_USER: '100000000', API_REQUESTS_PER_MINUTE_ADDRESS: '100000000' };

/**
 * Starts a broker in a separate process, alongside others on the same database. `env` has at least its address; by
 * default it gets its own port and folder.
 */
export async function forkBroker(env: NodeJS.ProcessEnv, allowAddresses: readonly string[]): Promise<ForkedBroker> {
  const [port, dataDir] = await Promise.all([freePort(), mkdtemp(join(temporaryRoot(), 'broker-'))]);
  const { PATH, HOME } = process.env;
  const child = fork(new URL('./broker-process.ts', import.meta.url), allowAddresses, {
    execArgv: [],
    env: {
      PATH,
      HOME,
      ...compileCache(),
      ...unlimited,
      LOG_LEVEL: 'fatal',
      PORT: String(port),
      DATA_DIR: dataDir,
      OFFERS_FILE: await offersWithoutWelcome(dataDir),
      ...env,
    },
  });
  const exit = once(child, 'exit');
  const ended = exit.then(() => {
    throw new Error('the broker ended before it was ready');
  });
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return {
    port: Number(env['PORT'] ?? port),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL');
      await exit;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
