import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { reportFiles } from './report.ts';

const formatter = join(import.meta.dirname, '../node_modules/oxfmt/bin/oxfmt');

/** Formats the written files as `npm test` requires. */
export async function formatReport(): Promise<void> {
  const child = spawn(process.execPath, [formatter, '--write', ...reportFiles], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the report could not be formatted');
}
