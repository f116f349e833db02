import { cleanLabel } from '#platform/text/clean-label.ts';
import { asRecord, isRecord } from '#platform/json.ts';

/** The keywords whose value contains schemas: by name, in a list, or a single one. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const inList = ['oneOf', 'anyOf', 'allOf', 'prefixItems'] as const;
const single = [
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
] as const;
/** Model providers refuse a request, with all its tools, if one of these is next to a tool's `type: object`. */
const notOnTop = ['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'if', 'then', 'else'] as const;

const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isFilledList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isSchema = (value: unknown) => isRecord(value) || typeof value === 'boolean';
const areSchemas = (value: unknown) => isFilledList(value) && value.every(isSchema);

/** Checks of the values of keywords (JSON Schema 2020-12, and draft 7 where it allows more). */
const keywords = new Map<string, (value: unknown) => boolean>([
  ['type', (value) => types.has(value) || (isFilledList(value) && value.every((one) => types.has(one)))],
  ['required', (value) => Array.isArray(value) && value.every(isText)],
  ['enum', isFilledList],
  ['pattern', isPattern],
  ...['title', 'description', 'format', '$comment'].map((name) => [name, isText] as const),
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'].map(
    (name) => [name, isNumber] as const,
  ),
  ...[
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
    'maxProperties',
    'minProperties',
    'minContains',
    'maxContains',
  ].map((name) => [name, isNumber] as const),
  ['uniqueItems', isBoolean],
  ...byName.map((name) => [name, isRecord] as const),
  ...inList.map((name) => [name, areSchemas] as const),
  ...single.map(
    (name) => [name, name === 'items' ? (value: unknown) => isSchema(value) || areSchemas(value) : isSchema] as const,
  ),
]);

function allowsArrays({ type }: Record<string, unknown>): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}

/** Compiles a pattern as validators do. It is never run here. */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Makes the schemas of a tool valid, and its arguments an object without a union at the top.
 * @returns the tool itself if nothing was removed; `places`: where the removed keywords were
 */
export function withSoundSchemas(tool: unknown): { tool: unknown; places: string[] } {
  if (!isRecord(tool)) return { tool, places: [] };
  const input = soundSchema(tool['inputSchema'], 'inputSchema');
  const output = soundSchema(tool['outputSchema'], 'outputSchema');
  const flat = isRecord(input.schema) ? withoutUnionOnTop(input.schema) : { schema: input.schema, places: [] };
  if (flat.schema === tool['inputSchema'] && output.schema === tool['outputSchema']) return { tool, places: [] };
  const { outputSchema } = tool;
  const mended = {
    ...tool,
    inputSchema: flat.schema,
    ...(outputSchema !== undefined && { outputSchema: output.schema }),
  };
  return { tool: mended, places: [...input.places, ...flat.places, ...output.places] };
}

/**
 * Removes everything from a tool's schema that is not JSON Schema. Because of one bad keyword, SDK 1.x refuses the whole list,
 * and model providers refuse every request with this tool. The schema then accepts more arguments, which the server checks
 * itself. `$id` is removed too, because validators identify a schema by it, and two tools may have the same one.
 * @param name the member that has the schema, for `places`
 * @returns the schema itself if it is valid
 */
function soundSchema(schema: unknown, name: string): { schema: unknown; places: string[] } {
  const places: string[] = [];
  const root = schema;
  return { schema: isRecord(schema) ? visit(schema, name) : schema, places };

  function visit(from: Record<string, unknown>, path: string): Record<string, unknown> {
    let copy: Record<string, unknown> | undefined;
    const change = (key: string, value: unknown) => {
      copy ??= { ...from };
      if (value === undefined) delete copy[key];
      else copy[key] = value;
    };
    const drop = (key: string) => {
      change(key, undefined);
      places.push(`${path}.${cleanLabel(key)}`);
    };
    for (const [key, value] of Object.entries(from)) {
      if (key === '$id' || key === 'id') {
        if (isText(value)) change(key, undefined);
      } else if (key === '$ref') {
        if (!resolves(value)) drop(key);
      } else if (keywords.get(key)?.(value) === false) drop(key);
      else {
        const inner = visitInner(key, value, path);
        if (inner !== value) change(key, inner);
      }
    }
    // some providers refuse an array that does not say what its items are
    if (allowsArrays(from) && from['items'] === undefined && from['prefixItems'] === undefined) change('items', {});
    return copy ?? from;
  }

  function visitInner(key: string, value: unknown, path: string): unknown {
    const place = `${path}.${key}`;
    // in draft 7, a schema or the names of members
    if (key === 'dependencies' && isRecord(value)) return visitNamed(value, place, false, Array.isArray);
    if (isIn(byName, key) && isRecord(value)) return visitNamed(value, place, key === 'patternProperties');
    if (isIn(inList, key) && Array.isArray(value)) return visitAll(value, place);
    if (!isIn(single, key)) return value;
    return Array.isArray(value) ? visitAll(value, place) : isRecord(value) ? visit(value, place) : value;
  }

  function visitNamed(
    from: Record<string, unknown>,
    path: string,
    areNamedByPattern: boolean,
    mayAlsoBe: (value: unknown) => boolean = () => false,
  ): Record<string, unknown> {
    let copy: Record<string, unknown> | undefined;
    for (const [name, value] of Object.entries(from)) {
      const isSound = (isSchema(value) || mayAlsoBe(value)) && (!areNamedByPattern || isPattern(name));
      const inner = isSound ? (isRecord(value) ? visit(value, `${path}.${cleanLabel(name)}`) : value) : undefined;
      if (inner === value) continue;
      copy ??= { ...from };
      if (inner === undefined) {
        delete copy[name];
        places.push(`${path}.${cleanLabel(name)}`);
      } else copy[name] = inner;
    }
    return copy ?? from;
  }

  function visitAll(from: unknown[], path: string): unknown[] {
    const all = from.map((value, index) => (isRecord(value) ? visit(value, `${path}[${index}]`) : value));
    return all.every((value, index) => value === from[index]) ? from : all;
  }

  /** Only references within the schema resolve: other documents are not fetched. */
  function resolves(reference: unknown): boolean {
    return typeof reference === 'string' && isSchema(lookUp(root, reference));
  }
}

/** Merges the properties of a union or an `allOf` at the top of a tool's arguments into a single object schema. */
function withoutUnionOnTop(schema: Record<string, unknown>): { schema: Record<string, unknown>; places: string[] } {
  const found = notOnTop.filter((key) => schema[key] !== undefined);
  if (found.length === 0) return { schema, places: [] };
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !isIn(notOnTop, key)));
  const partsOf = (key: string) =>
    (Array.isArray(schema[key]) ? schema[key] : []).map((part) => {
      const reference = asRecord(part)?.['$ref'];
      return asRecord(typeof reference === 'string' ? lookUp(schema, reference) : part) ?? {};
    });
  const all = partsOf('allOf');
  const properties = Object.assign(
    {},
    ...[...partsOf('oneOf'), ...partsOf('anyOf'), ...all].map((part) => asRecord(part['properties'])),
    asRecord(schema['properties']),
  );
  const required = [schema, ...all].flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []));
  return {
    schema: {
      ...rest,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required: [...new Set(required)] }),
    },
    places: found.map((key) => `inputSchema.${key}`),
  };
}

/** Resolves a reference within a document (RFC 6901, section 6); undefined for a broken one, or another document. */
function lookUp(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const holder: unknown = found;
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
    found = Object.getOwnPropertyDescriptor(holder, name)?.value;
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const isIn = (names: readonly string[], name: string) => names.includes(name);
