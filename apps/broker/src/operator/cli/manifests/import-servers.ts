import { createIds, draftManifest, programWarning, type ReadEntry } from '#features/upstreams/index.ts';

/** The outcome for one entry of a configuration. It never contains values of headers or variables. */
export type ImportedServer = {
  /** The name in the configuration. */
  name: string;
  refused?: string;
  id?: string;
  manifest?: Record<string, unknown>;
  /** Variables of the broker that the operator has to set. */
  variables: string[];
  /** The entry that the allow-list needs if this is a program, by its alias. */
  allowlist?: Record<string, unknown>;
  notes: string[];
};

/**
 * Turns the entries of a configuration into manifests, as the administrators' import does. Secrets are left out: a header
 * becomes one that the operator supplies.
 * @param entries with exact versions of their packages, if known
 */
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
