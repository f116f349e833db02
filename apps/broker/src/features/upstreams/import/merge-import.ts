import { isDeepStrictEqual } from 'node:util';

/** Fields that an import sets. All others belong to the administrator: prices, category, deadlines. */
const importedFields = ['name', 'description', 'icon', 'connection', 'isolation', 'auth', 'registryName'] as const;

/** Returns the imported fields of a draft, which are stored with the version: later differences were made here. */
export function importedOf(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    importedFields.flatMap((field) => (manifest[field] === undefined ? [] : [[field, manifest[field]]])),
  );
}

/**
 * Merges a new import into the existing manifest. Keeps what an administrator has changed since the last import.
 * @param last the fields as last imported; undefined: the manifest was not imported, and only its connection is replaced
 * @returns the manifest, and the names of fields that were kept although the import has others
 */
export function mergeImport(
  current: Readonly<Record<string, unknown>>,
  drafted: Readonly<Record<string, unknown>>,
  last: Readonly<Record<string, unknown>> | undefined,
): { manifest: Record<string, unknown>; kept: string[] } {
  const manifest: Record<string, unknown> = { ...current };
  const kept: string[] = [];
  for (const field of importedFields) {
    const next = drafted[field];
    if (isSame(current[field], next, field)) continue;
    const isOurs = last
      ? !isSame(current[field], last[field], field)
      : !(field === 'connection' || (field === 'auth' && next !== undefined));
    if (isOurs) {
      if (field !== 'isolation' && next !== undefined && last !== undefined && !isSame(next, last[field], field))
        kept.push(field);
      continue;
    }
    if (next === undefined) delete manifest[field];
    else manifest[field] = next;
  }
  return { manifest, kept };
}

/** Compares fields; stored ones have their defaults. */
function isSame(a: unknown, b: unknown, field: string): boolean {
  const whole = (value: unknown) => (field === 'auth' && value === undefined ? { type: 'none' } : value);
  return isDeepStrictEqual(whole(a), whole(b));
}
