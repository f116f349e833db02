import { git } from '../scripts/git.ts';

/**
 * The short id of the checkout's commit. A plus sign: the checkout has changes that are not committed, other than what measuring
 * has written.
 * @param written pages of the checkout that its figures are written to
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
