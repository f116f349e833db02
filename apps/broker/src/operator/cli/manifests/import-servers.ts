import { createIds, draftManifest, programWarning, readEntries, type ReadEntry } from '#features/upstreams/index.ts';

/** What became of one entry of a text. Values of headers and variables are in none of it. */
export type ImportedServer = {
  /** As the text calls it. */
  name: string;
  /** Why nothing could be made of it. */
  refused?: string;
  id?: string;
  manifest?: Record<string, unknown>;
  /** Variables of the broker that the operator has to set. */
  variables: string[];
  /** For a program: the entry that the allow-list of programs needs, by its alias. */
  allowlist?: Record<string, unknown>;
  notes: string[];
};

/**
 * Makes manifests of a text as the administrators' import does, for files. Secrets are left behind: a header becomes one that
 * the operator supplies.
 * @throws UnreadableText when it is no form that is known
 */
export function importServers(source: Uint8Array | string): ImportedServer[] {
  return draftServers(readEntries(source));
}

/** @param entries with exact versions of their packages, where those can be had */
export function draftServers(entries: readonly ReadEntry[]): ImportedServer[] {
  const giveId = createIds();
  return entries.map((entry) => {
    const { name, notes } = entry;
    if ('refused' in entry) return { name, refused: entry.refused, variables: [], notes };
    if ('document' in entry) {
      const { id } = entry.document;
      return { name, id: giveId(typeof id === 'string' ? id : name), manifest: entry.document, variables: [], notes };
    }
    const id = giveId(name);
    const { manifest, secrets, allowlist, notes: more } = draftManifest(entry, id);
    return {
      name,
      id,
      manifest,
      variables: secrets.map(({ variable }) => variable),
      ...(allowlist && { allowlist }),
      notes: allowlist ? [programNote, programWarning, ...more] : more,
    };
  });
}

const programNote =
  'It is a program. Souk only starts programs of the allow-list: add the entry below to the file that STDIO_ALLOWLIST names, and restart Souk.';
