import type { Input } from './server-json-schema.ts';

/** State of a value that a server.json asks for. */
export type Filled =
  | { kind: 'value'; value: string }
  /** A secret, which the operator enters. */
  | { kind: 'secret' }
  /** Required, but not in the document. */
  | { kind: 'missing'; what: string }
  | { kind: 'left-out' };

const placeholder = /\{([A-Za-z0-9_.-]{1,100})\}/g;

export const hasVariable = (text: string): boolean => text.replaceAll(placeholder, '') !== text;

/** Returns the value or default of an input with its variables filled in, as far as the document contains them. */
export function fillInput({ variables = {}, ...input }: Input): Filled {
  if (input.isSecret === true) return { kind: 'secret' };
  const given = input.value ?? input.default;
  if (given === undefined) {
    return input.isRequired === true ? { kind: 'missing', what: describe(input) } : { kind: 'left-out' };
  }
  return fillText(given, variables);
}

/** Fills in the `{name}` variables of a text. A variable that the document does not describe has no value. */
export function fillText(text: string, variables: NonNullable<Input['variables']>): Filled {
  let missing: string | undefined;
  let isSecret = false;
  const value = text.replaceAll(placeholder, (whole, name: string) => {
    const variable = (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? {};
    if (variable.isSecret === true) isSecret = true;
    const filled = variable.value ?? variable.default;
    if (filled === undefined) missing ??= describe(variable, name);
    return filled ?? whole;
  });
  if (isSecret) return { kind: 'secret' };
  return missing === undefined ? { kind: 'value', value } : { kind: 'missing', what: missing };
}

function describe({ description, choices = [] }: Pick<Input, 'description' | 'choices'>, name?: string): string {
  const words = [
    ...(name === undefined ? [] : [`{${name}}`]),
    ...(description === undefined ? [] : [`"${description.slice(0, 200)}"`]),
    ...(choices.length === 0 ? [] : [`one of ${choices.slice(0, 10).join(', ')}`]),
  ];
  return words.join(', ');
}
