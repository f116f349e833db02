import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueText } from './issue-text.ts';

const told = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(issueText).join('; ');

test('the findings of a validator follow the name of the field in words, and the words of a schema stay', () => {
  expect(told(z.string(), undefined)).toBe('is missing');
  expect(told(z.string(), 5)).toBe('must be a string');
  expect(told(z.int(), 1.5)).toBe('must be a whole number');
  expect(told(z.coerce.number(), 'two')).toBe('must be a number');
  expect(told(z.string().min(1), '')).toBe('must not be empty');
  expect(told(z.string().max(3), 'four')).toBe('must have at most 3 characters');
  expect(told(z.array(z.string()).min(2), [])).toBe('must have at least 2 entries');
  expect(told(z.int().max(366), 367)).toBe('must be at most 366');
  expect(told(z.enum(['a', 'b', 'c']), 'd')).toBe('must be "a", "b" or "c"');
  expect(told(z.email(), 'x')).toBe('must be an e-mail address');
  expect(told(z.strictObject({}), { a: 1 })).toBe('has an unknown field: "a"');
  expect(told(z.strictObject({}), { a: 1, b: 2 })).toBe('has unknown fields: "a", "b"');
  expect(told(z.union([z.string(), z.number()]), true)).toBe('has an unknown format');
  expect(told(z.string().min(1, 'must name a service'), '')).toBe('must name a service');
});
