import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '#platform/json.ts';

type Definition = Record<string, unknown>;

/** Keywords of a schema that cannot make an argument required or forbidden as long as they are unchanged. */
const plainKeywords: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$defs',
  'definitions',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
]);
/** An argument with this keyword is also sent in a header (SEP-2243). */
const mirrored = 'x-mcp-header';

/**
 * Whether a tool has new optional arguments and no other change, not even of a text: calls keep their meaning. False
 * for a schema with conditional keywords, which may hide other changes.
 */
export function addsOptionalArgument(before: Definition, after: Definition): boolean {
  const { inputSchema: schemaBefore, ...restBefore } = before;
  const { inputSchema: schemaAfter, ...restAfter } = after;
  const [from, to] = [asRecord(schemaBefore), asRecord(schemaAfter)];
  if (!from || !to || !isDeepStrictEqual(restBefore, restAfter)) return false;
  if (Object.keys(to).some((keyword) => !plainKeywords.has(keyword))) return false;
  const { properties: argumentsBefore, ...othersBefore } = from;
  const { properties: argumentsAfter, ...othersAfter } = to;
  if (!isDeepStrictEqual(othersBefore, othersAfter)) return false;
  const known = new Map(Object.entries(asRecord(argumentsBefore) ?? {}));
  const offered = new Map(Object.entries(asRecord(argumentsAfter) ?? {}));
  for (const [name, schema] of known) {
    if (!offered.has(name) || !isDeepStrictEqual(schema, offered.get(name))) return false;
  }
  const required: unknown[] = Array.isArray(to['required']) ? to['required'] : [];
  const added = [...offered].filter(([name]) => !known.has(name));
  return (
    added.length > 0 &&
    added.every(([name, schema]) => !required.includes(name) && !JSON.stringify(schema).includes(`"${mirrored}"`))
  );
}
