import { asRecord } from '#platform/json.ts';

const all: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * The JSON types that the structuredContent of a tool's results may have, as the outermost `type` of its outputSchema says;
 * undefined for a tool without an outputSchema, whose results need not have any.
 */
export function resultTypesOf({ outputSchema }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const schema = asRecord(outputSchema);
  if (!schema) return undefined;
  const type: unknown[] = [schema['type']].flat();
  const named = all.filter((each) => type.includes(each));
  // a schema that names no type, or none that there is, says nothing of it
  return named.length > 0 ? named : all;
}
