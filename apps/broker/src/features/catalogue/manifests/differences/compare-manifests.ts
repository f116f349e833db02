import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '#platform/json.ts';

/** A value, or a list of texts, that differs between two documents; undefined in the document without it. */
export type Change = { path: readonly string[]; before: unknown; after: unknown };

/** Objects that are compared field by field even if one side lacks them. */
const containers: ReadonlySet<string> = new Set([
  'connection',
  'auth',
  'deadlines',
  'billing',
  'billing.rental',
  'billing.toolCosts',
  'billing.announcedPrices',
  'capabilitySnapshot',
]);

/**
 * Compares two manifests value by value, in the order of the second. Lists of items with names or addresses are
 * compared by these, so that a moved item is only a change of order. Takes linear time.
 * @param before undefined if there was none
 */
export function compareManifests(before: object | undefined, after: object): Change[] {
  const changes: Change[] = [];
  compare(before ?? {}, after, [], changes);
  return changes;
}

function compare(before: unknown, after: unknown, path: readonly string[], changes: Change[]): void {
  const isContainer = containers.has(path.join('.'));
  const [a, b] = [fieldsOf(before, isContainer), fieldsOf(after, isContainer)];
  if (a && b) {
    for (const [name, value] of b) compare(a.get(name), value, [...path, name], changes);
    for (const [name, value] of a) if (!b.has(name)) compare(value, undefined, [...path, name], changes);
    // members that both lists have may be in another order
    if (Array.isArray(before) && Array.isArray(after)) compareOrder([...a.keys()], [...b.keys()], path, changes);
    return;
  }
  const isNothing = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  if ((isNothing(before) && isNothing(after)) || isDeepStrictEqual(before, after)) return;
  changes.push({ path, before, after });
}

function compareOrder(
  before: readonly string[],
  after: readonly string[],
  path: readonly string[],
  changes: Change[],
): void {
  const kept = new Set(before);
  const keptAfter = after.filter((name) => kept.has(name));
  const left = new Set(keptAfter);
  const keptBefore = before.filter((name) => left.has(name));
  if (keptBefore.every((name, index) => name === keptAfter[index])) return;
  changes.push({ path, before: keptBefore, after: keptAfter });
}

/** Returns the fields of an object, or of a list whose members have distinct names; undefined for everything else. */
function fieldsOf(value: unknown, isContainer: boolean): Map<string, unknown> | undefined {
  if (value === undefined) return isContainer ? new Map() : undefined;
  if (!Array.isArray(value)) {
    const record = asRecord(value);
    return record && new Map(Object.entries(record));
  }
  const names = value.map((member) => nameOf(asRecord(member)));
  const fields = new Map<string, unknown>();
  for (const [index, name] of names.entries()) {
    if (name === undefined || fields.has(name)) return undefined;
    fields.set(name, value[index]);
  }
  return fields.size === 0 ? undefined : fields;
}

function nameOf(member: Record<string, unknown> | undefined): string | undefined {
  const name = member?.['uri'] ?? member?.['name'];
  return typeof name === 'string' ? name : undefined;
}
