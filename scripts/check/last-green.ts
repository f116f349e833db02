import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git } from '../git.ts';

const fileIn = (root: string) => join(root, 'node_modules/.cache/green-commit');

/** Records the commit for which `npm test` was green, unless there are uncommitted changes. Does nothing outside a clone. */
export function recordGreen(root: string): void {
  try {
    if (git(root, 'status', '--porcelain') !== '') return;
    mkdirSync(dirname(fileIn(root)), { recursive: true });
    writeFileSync(fileIn(root), git(root, 'rev-parse', 'HEAD'));
  } catch {
    // an archive has no history
  }
}

/** Lists files that differ from the last green commit, or from HEAD if there is none, including uncommitted and new files. */
export function changedFiles(root: string): string[] {
  const base = lastGreen(root) ?? 'HEAD';
  const tracked = git(root, 'diff', '--name-only', base);
  const fresh = git(root, 'ls-files', '--others', '--exclude-standard');
  return [...new Set(`${tracked}\n${fresh}`.split('\n').filter((line) => line !== ''))];
}

function lastGreen(root: string): string | undefined {
  if (!existsSync(fileIn(root))) return undefined;
  const commit = readFileSync(fileIn(root), 'utf8').trim();
  try {
    git(root, 'merge-base', '--is-ancestor', commit, 'HEAD');
    return commit;
  } catch {
    return undefined;
  }
}
