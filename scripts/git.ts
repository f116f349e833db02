import { execFileSync } from 'node:child_process';

/**
 * Runs git in a checkout and returns its output.
 * @throws Error with git's message
 */
export function git(checkout: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
