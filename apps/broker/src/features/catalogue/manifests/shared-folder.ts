import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { ManifestPolicy } from './parse-manifest.ts';

/**
 * Whether a server has one upstream connection for everyone, where nothing else decides. A program is written for one person:
 * its files and its memory serve every caller alike, so by default each person has a process of their own.
 */
export function isolationOf({ isolation, connection }: Pick<Manifest, 'isolation' | 'connection'>) {
  return isolation ?? (connection.type === 'stdio' ? 'perUser' : 'shared');
}

/** The author of a manifest may not have meant this: a program is given a folder to keep files in, and everyone's is the same. */
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
