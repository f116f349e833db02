import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { ManifestPolicy } from './parse-manifest.ts';

/**
 * Default isolation of a server. A program is written for one user: its files and its memory serve every caller alike,
 * so by default each user has their own process.
 */
export function isolationOf({ isolation, connection }: Pick<Manifest, 'isolation' | 'connection'>) {
  return isolation ?? (connection.type === 'stdio' ? 'perUser' : 'shared');
}

/** Warns about a program with a folder for files that all users share, which its author may not have meant. */
export function sharedFolderNotes(
  manifest: Pick<Manifest, 'isolation' | 'connection'>,
  { keepsFiles }: Pick<ManifestPolicy, 'keepsFiles'>,
): string[] {
  const { connection } = manifest;
  if (connection.type !== 'stdio' || isolationOf(manifest) === 'perUser' || !keepsFiles?.(connection.command))
    return [];
  const program = cleanLabel(connection.command);
  return [
    `Everyone shares one folder of the program “${program}”: what one person keeps there, all others can read and change. Set isolation to perUser, unless that is what you want.`,
  ];
}
