import { asRecord } from '#platform/json.ts';

/** Anthropic's API takes only such names of arguments. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Where a schema has schemas: by name, in a list, or one. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const inList = ['oneOf', 'anyOf', 'allOf', 'prefixItems'] as const;
const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;

/** The first thing in a tool's input schema for which clients or their models refuse the tool, in words. */
export function refusedSchema(schema: unknown): string | undefined {
  const root = asRecord(schema);
  if (!root) return undefined;
  const odd = Object.keys(asRecord(root['properties']) ?? {}).find((name) => !argumentName.test(name));
  if (odd !== undefined) return `the name of the argument "${odd.slice(0, 80)}"`;
  return refusedInside(root, 'inputSchema');
}

function refusedInside(schema: Record<string, unknown>, path: string): string | undefined {
  const { type } = schema;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (isList && schema['items'] === undefined && schema['prefixItems'] === undefined) {
    return `${path} is a list that does not say of what`;
  }
  for (const [place, inner] of innerSchemas(schema)) {
    const refused = refusedInside(inner, `${path}.${place}`);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function* innerSchemas(schema: Record<string, unknown>): Generator<[place: string, inner: Record<string, unknown>]> {
  for (const key of byName) {
    for (const [name, value] of Object.entries(asRecord(schema[key]) ?? {})) yield* found(`${key}.${name}`, value);
  }
  for (const key of inList) {
    const list: unknown = schema[key];
    if (Array.isArray(list)) for (const [index, value] of list.entries()) yield* found(`${key}[${index}]`, value);
  }
  for (const key of single) yield* found(key, schema[key]);
}

function* found(place: string, value: unknown): Generator<[place: string, inner: Record<string, unknown>]> {
  const inner = asRecord(value);
  if (inner) yield [place, inner];
}
