import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'operator', 'souk.ts');
/** Below the 15 minutes after which another broker considers the job dead. */
const timeoutMs = 14 * 60_000;

/**
 * Runs `souk backup FILE` in its own process, so that its memory and work do not burden the broker.
 * @throws Error with the command's error output
 */
export async function runBackupCommand(file: string, environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [program, 'backup', file], { env: environment, timeout: timeoutMs });
  } catch (error) {
    const { killed, stderr } = Object(error) as { killed?: unknown; stderr?: unknown };
    if (killed === true) throw new Error('the backup took longer than 14 minutes: use pg_dump', { cause: error });
    const said = typeof stderr === 'string' ? stderr.trim().slice(0, 1_000) : '';
    throw new Error(said === '' ? String(error) : said, { cause: error });
  }
}
