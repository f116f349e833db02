import type { z } from 'zod';

/** Message for an absent field; the specification's text for missing fields is based on it. */
export const missing = 'is missing';

/** Returns a message to follow the field's name. Messages of our schemas are kept; they begin in lower case. */
export function issueText(issue: z.core.$ZodIssue): string {
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
        : 'has an unknown format';
    case 'invalid_key':
      return 'is not an allowed name';
    case 'unrecognized_keys':
      return `has ${issue.keys.length === 1 ? 'an unknown field' : 'unknown fields'}: ${quoted(issue.keys).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must ${size(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return `must ${size(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`;
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'in another format'}`;
    default:
      return 'has the wrong format';
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a web address',
  uuid: 'an id such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  date: 'a day such as 2026-12-01',
  datetime: 'a date and time such as 2026-12-01T00:00:00Z',
};

const quoted = (values: readonly string[]) => values.map((value) => `"${value}"`);

function oneOf(values: readonly string[]): string {
  const named = quoted(values);
  const last = named.pop() ?? '';
  return named.length === 0 ? `must be ${last}` : `must be ${named.join(', ')} or ${last}`;
}

const size = (origin: string) => (origin === 'string' || origin === 'array' ? 'have' : 'be');
const unit = (origin: string) => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '');
