import { asRecord, fieldsOf, kindOf, type Schema } from './schema-field.ts';

/** Text that is invalid JSON, or has numbers that would change. It never leaves the form. */
export class NotJson {
  readonly text: string;
  /** The reason, if known. */
  readonly fault: string | undefined;
  constructor(text: string, fault?: string) {
    this.text = text;
    this.fault = fault;
  }
}

/**
 * Returns what is wrong with the values of a form, by the path of each field ('address.street'). The server checks its
 * patterns and combinations itself.
 */
export function checkArguments(values: Readonly<Record<string, unknown>>, schema: Schema): Record<string, string> {
  return Object.fromEntries(problems(values, schema, schema, '', 0));
}

export const pathOf = (parent: string, name: string) => (parent === '' ? name : `${parent}.${name}`);

function faultyItems(value: unknown): NotJson[] {
  return Array.isArray(value) ? value.filter((item) => item instanceof NotJson).slice(0, 1) : [];
}

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
    if (value instanceof NotJson) return [[path, value.fault ?? 'This is not valid JSON.']];
    if (value === undefined) {
      if (!required || field.kind === 'boolean' || field.kind === 'choices') return [];
      // an object has no field that could show the error
      return field.kind === 'object' ? problems({}, own, root, path, depth + 1) : [[path, 'Required']];
    }
    switch (field.kind) {
      case 'number':
        if (typeof value !== 'number') return [[path, 'Enter a number.']];
        return field.isInteger && !Number.isInteger(value) ? [[path, 'Enter a whole number.']] : [];
      case 'list':
        return faultyItems(value).map(({ fault = 'Enter numbers.' }) => [path, fault]);
      case 'object':
        return problems(asRecord(value), own, root, path, depth + 1);
      default:
        return [];
    }
  });
}
