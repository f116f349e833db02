import { isDeepStrictEqual } from 'node:util';

/** Fields that an import sets. All others belong to the administrator: prices, category, deadlines. */
const importedFields = ['name', 'description', 'icon', 'connection', 'isolation', 'auth', 'registryName'] as const;

/**
 * Returns the imported fields of a draft. They are stored with the version, so that later changes by administrators are
 * recognized.
 */
export function importedOf(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    importedFields.flatMap((field) => (manifest[field] === undefined ? [] : [[field, manifest[field]]])),
  );
}

/**
 * Merges a new import into the existing manifest. Keeps what an administrator has changed since the last import.
 * @param last the fields as last imported; undefined if the manifest was not imported: then only its connection is
 *   replaced
 * @returns the manifest, and the names of fields that were kept although the import has new values
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

/** Compares the values of a field. Stored manifests include defaults. */
function isSame(a: unknown, b: unknown, field: string): boolean {
  const whole = (value: unknown) => (field === 'auth' && value === undefined ? { type: 'none' } : value);
  return isDeepStrictEqual(whole(a), whole(b));
}
