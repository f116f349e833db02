import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'operator', 'souk.ts');
/** A job may run 15 minutes before another broker takes it for dead. */
const timeoutMs = 14 * 60_000;

/**
 * `souk backup FILE` in a process of its own: its memory and its work are not the broker's.
 * @throws Error with what the command said
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
