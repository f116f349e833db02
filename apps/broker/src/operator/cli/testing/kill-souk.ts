import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compileCache } from '#testing/compile-cache.ts';

const command = new URL('../../souk.ts', import.meta.url).pathname;

/**
 * Starts a command as a separate process, and kills it with SIGKILL once it has reached a certain moment.
 * @param moment resolves when it has; `said` resolves when the command has written a text to standard error
 * @throws Error with the output of the command if it ended before
 */
export async function killSouk(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  moment: (said: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [command, ...argv], {
    env: { PATH, HOME, ...compileCache(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let written = '';
  const said = (text: string) =>
    new Promise<void>((resolve) => {
      child.stderr.on('data', () => written.includes(text) && resolve());
    });
  child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  try {
    const tooEarly = ended.then(() => {
      throw new Error(`the command ended on its own: ${written}`);
    });
    await Promise.race([moment(said), tooEarly]);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
