export type ToolParameter = { name: string; type: string; required: boolean; description: string };

/**
 * Returns the first level of a tool's input schema as rows. Upstream servers write these schemas, so any part may be
 * missing or invalid.
 */
export function toolParameters(inputSchema: Record<string, unknown> | undefined): ToolParameter[] {
  const properties = record(inputSchema?.['properties']);
  const required = inputSchema?.['required'];
  const demanded: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties)
    .map(([name, value]) => {
      const schema = record(value);
      return { name, type: typeOf(schema), required: demanded.includes(name), description: describe(schema) };
    })
    .toSorted((one, other) => Number(other.required) - Number(one.required));
}

/** 'string', 'number or null', 'string list', 'low | high'; 'any' if the schema does not say. */
function typeOf(schema: Record<string, unknown>): string {
  const { enum: options, const: fixed, type, anyOf, oneOf } = schema;
  if (Array.isArray(options)) return options.map((option) => JSON.stringify(option)).join(' | ');
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (type === 'array') return `${typeOf(record(schema['items']))} list`;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.map(String).join(' or ');
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) return [...new Set(variants.map((variant) => typeOf(record(variant))))].join(' or ');
  return 'any';
}

function describe(schema: Record<string, unknown>): string {
  const { description, default: given } = schema;
  const text = typeof description === 'string' ? description : '';
  return given === undefined ? text : `${text}${text && ' '}(default ${JSON.stringify(given)})`;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
