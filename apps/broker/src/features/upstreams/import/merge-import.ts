import { isDeepStrictEqual } from 'node:util';

/** The fields that an import sets. All others of a manifest are the administrator's own: prices, category, deadlines. */
const importedFields = ['name', 'description', 'icon', 'connection', 'isolation', 'auth', 'registryName'] as const;

/** Those fields of a drafted manifest, which are stored with the version: what differs from them later was changed here. */
export function importedOf(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    importedFields.flatMap((field) => (manifest[field] === undefined ? [] : [[field, manifest[field]]])),
  );
}

/**
 * A new import on top of the manifest that is here: what an administrator has changed since the last import stays.
 * @param last the fields as the last import made them; undefined: they came from elsewhere, and only the way to the server is new
 * @returns the manifest, and the names of fields that stay as they are here although the import has others
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

/** What is stored has its defaults. */
function isSame(a: unknown, b: unknown, field: string): boolean {
  const whole = (value: unknown) => (field === 'auth' && value === undefined ? { type: 'none' } : value);
  return isDeepStrictEqual(whole(a), whole(b));
}
