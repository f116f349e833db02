import { asSchema, fieldsOf, kindOf, type Schema } from './schema-field.ts';

/** Text that was typed where JSON is expected, and is none. It never leaves the form. */
export class NotJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * What is wrong with the values of a form, by the path of each field ('address.street'). The server checks the rest: its
 * patterns and combinations are not run here.
 */
export function checkArguments(values: Readonly<Record<string, unknown>>, schema: Schema): Record<string, string> {
  return Object.fromEntries(problems(values, schema, schema, '', 0));
}

export const pathOf = (parent: string, name: string) => (parent === '' ? name : `${parent}.${name}`);

function problems(
  values: Readonly<Record<string, unknown>>,
  schema: Schema,
  root: Schema,
  parent: string,
  depth: number,
): [string, string][] {
  return fieldsOf(schema, root).fields.flatMap(({ name, required, schema: own }) => {
    const path = pathOf(parent, name);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const field = kindOf(own, root, depth + 1);
    if (value instanceof NotJson) return [[path, 'This is not valid JSON.']];
    if (value === undefined) {
      if (!required || field.kind === 'boolean' || field.kind === 'choices') return [];
      // no field of its own shows what is wrong with an object
      return field.kind === 'object' ? problems({}, own, root, path, depth + 1) : [[path, 'Required']];
    }
    switch (field.kind) {
      case 'number':
        if (typeof value !== 'number') return [[path, 'Enter a number.']];
        return field.isInteger && !Number.isInteger(value) ? [[path, 'Enter a whole number.']] : [];
      case 'list':
        return Array.isArray(value) && value.some((item) => item instanceof NotJson) ? [[path, 'Enter numbers.']] : [];
      case 'object':
        return problems(asSchema(value), own, root, path, depth + 1);
      default:
        return [];
    }
  });
}
