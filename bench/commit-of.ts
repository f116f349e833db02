import { git } from '../scripts/git.ts';

/**
 * Returns the short id of the checkout's commit, with a plus sign if there are uncommitted changes other than written figures.
 * @param written pages that figures are written to
 */
export function commitOf(root: string, written: readonly string[]): string {
  try {
    const others = written.map((page) => `:!${page}`);
    const changes = git(root, 'status', '--porcelain', '--untracked-files=no', '--', '.', ...others);
    return `${git(root, 'rev-parse', '--short', 'HEAD')}${changes === '' ? '' : '+'}`;
  } catch {
    return 'no checkout';
  }
}
