import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { ManifestPolicy } from './parse-manifest.ts';

/**
 * Returns the isolation of a server. By default each user has their own process of a program: programs are written for
 * one user, and do not separate the files and memory of several.
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
