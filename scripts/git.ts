import { execFileSync } from 'node:child_process';

/** What a command of git prints, in a checkout. @throws Error outside one, or with what git says */
export function git(checkout: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
