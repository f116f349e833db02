import { asRecord } from '#platform/json.ts';

const all: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * JSON types that the structuredContent of a tool's results may have, by the outermost `type` of its outputSchema;
 * undefined for a tool without an outputSchema, whose results need not have any.
 */
export function resultTypesOf({ outputSchema }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const schema = asRecord(outputSchema);
  if (!schema) return undefined;
  const type: unknown[] = [schema['type']].flat();
  const named = all.filter((each) => type.includes(each));
  // a schema without a valid type allows all
  return named.length > 0 ? named : all;
}
