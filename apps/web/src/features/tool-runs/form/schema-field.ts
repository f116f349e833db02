/** A server's JSON schema, or a part of one. Any part of it may be missing, invalid or hostile. */
export type Schema = Readonly<Record<string, unknown>>;

export type Choice = { value: unknown; label: string };

/** undefined: not entered. */
export type ValueInput = { value: unknown; onChange: (value: unknown) => void };

export type FieldKind =
  | { kind: 'text'; multiline: boolean; type: 'text' | 'email' | 'url' | 'date' | 'datetime-local' }
  | { kind: 'number'; isInteger: boolean }
  | { kind: 'boolean' }
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'choices'; choices: readonly Choice[] }
  | { kind: 'list'; items: Schema }
  | { kind: 'object'; fields: readonly SchemaField[]; hidden: number }
  | { kind: 'json' };

export type SchemaField = {
  name: string;
  label: string;
  description: string;
  required: boolean;
  schema: Schema;
};

/** Nesting of objects; deeper ones are entered as JSON. */
export const maxDepth = 4;
/** Fields of one object; further ones are entered as JSON. */
const maxFields = 60;
/** Fields of a nested object, including those of the objects in it; a larger one is entered as JSON. */
const maxNestedFields = 40;
const maxChoices = 200;
const maxLabelCharacters = 100;
const maxDescriptionCharacters = 600;
const maxReferences = 8;

export function asRecord(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Returns the fields of an object's schema, required ones first, and the number of fields beyond the limit. */
export function fieldsOf(schema: Schema, root: Schema): { fields: SchemaField[]; hidden: number } {
  const { required } = schema;
  const demanded = new Set<unknown>(Array.isArray(required) ? required : []);
  const entries = Object.entries(asRecord(schema['properties']));
  const fields = entries.map(([name, value]) => {
    const resolved = resolve(asRecord(value), root);
    return {
      name,
      label: shorten(asText(resolved['title']) || name, maxLabelCharacters),
      description: describe(resolved),
      required: demanded.has(name),
      schema: resolved,
    };
  });
  const sorted = fields.toSorted((one, other) => Number(other.required) - Number(one.required));
  return { fields: sorted.slice(0, maxFields), hidden: Math.max(0, sorted.length - maxFields) };
}

/** @param depth depth of the object that has the value */
export function kindOf(schema: Schema, root: Schema, depth: number): FieldKind {
  const choices = choicesOf(schema);
  if (choices) return { kind: 'choice', choices };
  switch (typeOf(schema)) {
    case 'string':
      return textKind(schema);
    case 'number':
      return { kind: 'number', isInteger: false };
    case 'integer':
      return { kind: 'number', isInteger: true };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return listKind(schema, root);
    case 'object': {
      if (depth >= maxDepth || isLarge(schema, root, depth)) return { kind: 'json' };
      const { fields, hidden } = fieldsOf(schema, root);
      return fields.length === 0 ? { kind: 'json' } : { kind: 'object', fields, hidden };
    }
    default:
      return { kind: 'json' };
  }
}

/**
 * Returns whether an object has too many fields, including those of nested objects: a schema can refer to itself many
 * times.
 */
function isLarge(schema: Schema, root: Schema, depth: number): boolean {
  let left = maxNestedFields;
  const exceeds = (one: Schema, at: number): boolean =>
    at < maxDepth &&
    fieldsOf(one, root).fields.some(
      ({ schema: own }) => --left < 0 || (typeOf(own) === 'object' && exceeds(own, at + 1)),
    );
  return exceeds(schema, depth);
}

function listKind(schema: Schema, root: Schema): FieldKind {
  const items = resolve(asRecord(schema['items']), root);
  const choices = choicesOf(items);
  if (choices) return { kind: 'choices', choices };
  return ['string', 'number', 'integer'].includes(typeOf(items) ?? '') ? { kind: 'list', items } : { kind: 'json' };
}

/** Returns the initial values of a form: the defaults of the schema. */
export function defaultsOf(schema: Schema, root: Schema = schema, depth = 0): Record<string, unknown> {
  const entries = fieldsOf(schema, root).fields.flatMap(({ name, required, schema: own }) => {
    if (own['default'] !== undefined) return [[name, own['default']] as const];
    const { kind } = kindOf(own, root, depth + 1);
    // an unchecked box means false
    if (required && kind === 'boolean') return [[name, false] as const];
    if (required && kind === 'choices') return [[name, []] as const];
    if (kind !== 'object') return [];
    const inner = defaultsOf(own, root, depth + 1);
    return required || Object.keys(inner).length > 0 ? [[name, inner] as const] : [];
  });
  return Object.fromEntries(entries);
}

const inputTypes: Readonly<Record<string, 'email' | 'url' | 'date'>> = { email: 'email', uri: 'url', date: 'date' };

function textKind({ format, maxLength, contentMediaType }: Schema): FieldKind {
  const multiline = contentMediaType !== undefined || (typeof maxLength === 'number' && maxLength > 300);
  return { kind: 'text', multiline, type: (typeof format === 'string' && inputTypes[format]) || 'text' };
}

/** Returns the choices of an enum, a constant, or alternatives that are all constants. */
function choicesOf({ enum: listed, enumNames, const: fixed, oneOf, anyOf }: Schema): Choice[] | undefined {
  if (Array.isArray(listed) && listed.length > 0 && listed.length <= maxChoices) {
    const names: unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return listed.map((value: unknown, index) => choice(value, names[index]));
  }
  if (fixed !== undefined) return [choice(fixed, undefined)];
  const alternatives: unknown = oneOf ?? anyOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0 || alternatives.length > maxChoices) return undefined;
  const constants = alternatives.map(asRecord);
  if (!constants.every((one) => one['const'] !== undefined)) return undefined;
  return constants.map((one) => choice(one['const'], one['title']));
}

function choice(value: unknown, title: unknown): Choice {
  const label = asText(title) || (typeof value === 'string' ? value : JSON.stringify(value));
  return { value, label: shorten(label, maxLabelCharacters) };
}

/** Follows references within the tool's schema, and picks the only alternative other than null. */
function resolve(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let hops = 0; hops < maxReferences; hops++) {
    const { $ref: reference, anyOf, oneOf, ...rest } = current;
    const alternatives: unknown = anyOf ?? oneOf;
    if (typeof reference === 'string') current = { ...followReference(root, reference), ...rest };
    else if (Array.isArray(alternatives)) {
      const others = alternatives.map(asRecord).filter(({ type }) => type !== 'null');
      if (others.length !== 1 || others.length === alternatives.length) return current;
      current = { ...others[0], ...rest };
    } else return current;
  }
  return {};
}

/** Returns the schema that '#/$defs/Name' or a similar reference points to. */
function followReference(root: Schema, reference: string): Schema {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return {};
  const steps = reference.slice(2).split('/', 10);
  return steps.reduce<Schema>((at, step) => asRecord(Object.hasOwn(at, step) ? at[step] : undefined), root);
}

/** Returns the type; undefined if there are several besides null. */
export function typeOf({ type, properties }: Schema): string | undefined {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  const [only, ...others] = types.filter((one) => one !== 'null');
  if (only === undefined && properties !== undefined) return 'object';
  return others.length === 0 && typeof only === 'string' ? only : undefined;
}

function describe(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength } = schema;
  const between = (least: unknown, most: unknown, unit: string) => {
    const [from, to] = [least, most].map((bound) => (typeof bound === 'number' ? String(bound) : undefined));
    if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}.`;
    if (from !== undefined) return `At least ${from}${unit}.`;
    return to === undefined ? '' : `At most ${to}${unit}.`;
  };
  const range = between(minimum, maximum, '');
  const length = between(
    typeof minLength === 'number' && minLength > 1 ? minLength : undefined,
    maxLength,
    ' characters',
  );
  const description = shorten(asText(schema['description']), maxDescriptionCharacters);
  const ended = description === '' || /[.!?…:]$/.test(description) ? description : `${description}.`;
  return [ended, range, typeOf(schema) === 'string' ? length : ''].filter((part) => part !== '').join(' ');
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
