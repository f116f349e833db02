import type { z } from 'zod';

/** What is wrong with one field. */
type Issue = { path: string; message: string };

/** A field's absence, as the specification's text for missing fields looks for it. */
export const missing = 'is missing';

/** What is wrong with a manifest, in words and with each field's path. */
export function manifestIssues(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: fieldPath([...issue.path, key]),
        message: issue.path.length === 0 ? 'is not a field of a manifest' : 'is not a field here',
      }));
    }
    return [{ path: fieldPath(issue.path), message: inWords(issue) }];
  });
}

/** The schema's own words where it has some: those begin with a small letter. */
function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return missing;
  if (!/^[A-Z]/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values.map(String));
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? oneOf(issue.options.map(String))
        : 'has no known form';
    case 'invalid_key':
      return 'is not an allowed name';
    case 'too_small':
      return `must ${size(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return `must ${size(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`;
    default:
      return 'has a wrong form';
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function oneOf(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? `must be ${last}` : `must be ${quoted.join(', ')} or ${last}`;
}

const size = (origin: string) => (origin === 'number' || origin === 'int' ? 'be' : 'have');
const unit = (origin: string) => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '');

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`,
    '',
  );
}
