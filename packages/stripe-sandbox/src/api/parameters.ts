import { z } from 'zod';
import { badRequest, type StripeError } from './stripe-error.ts';
import type { FormValue } from './form-body.ts';

/** Schemas of parameter values, which all arrive as text. */
export const text = z.string().max(5000);
export const id = z.string().min(1).max(255);
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const whole = z
  .string()
  .regex(/^-?\d{1,12}$/, 'Invalid integer')
  .transform(Number);
export const amount = whole.pipe(z.number().min(0).max(99_999_999));
export const webAddress = z
  .string()
  .max(5000)
  .refine((address) => /^https?:\/\//.test(address) && URL.canParse(address), 'Not a valid URL');

/** Names and values; an empty value removes the name. The form parser returns names 0, 1, … as a list. */
export const metadata = z.preprocess(
  (value) => (value === '' ? {} : Array.isArray(value) ? { ...value } : value),
  z
    .record(z.string().min(1).max(40), z.string().max(500))
    .refine((record) => Object.keys(record).length <= 50, 'Metadata can have up to 50 keys'),
);

export const expandable = { expand: z.array(z.string().max(200)).max(20).optional() };

const range = z.strictObject({ gt: whole, gte: whole, lt: whole, lte: whole }).partial();

export const listing = {
  ...expandable,
  limit: whole.pipe(z.number().min(1).max(100)).default(10),
  starting_after: id.optional(),
  ending_before: id.optional(),
  created: z.union([range, whole]).optional(),
};

/** Creates a schema that rejects unknown parameters by name. */
export function parameters<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ ...expandable, ...shape });
}

export function listParameters<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ ...listing, ...shape });
}

/** @throws StripeError that names the first invalid parameter */
export function check<Schema extends z.ZodType>(schema: Schema, given: Record<string, FormValue>): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue ? toError(issue, given) : badRequest('Invalid parameters.');
}

function toError(issue: z.core.$ZodIssue, given: Record<string, FormValue>): StripeError {
  const name = (path: readonly PropertyKey[]) =>
    path.map((part, index) => (index === 0 ? String(part) : `[${String(part)}]`)).join('');
  if (issue.code === 'unrecognized_keys') {
    const param = name([...issue.path, issue.keys[0] ?? '']);
    return badRequest(`Received unknown parameter: ${param}. Stripe may know it; the sandbox does not implement it.`, {
      code: 'parameter_unknown',
      param,
    });
  }
  const param = name(issue.path);
  if (valueAt(issue.path, given) === undefined) {
    return badRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  return badRequest(`Invalid ${param}: ${issue.message}`, { code: 'parameter_invalid', param });
}

function valueAt(path: readonly PropertyKey[], given: unknown): unknown {
  let value = given;
  for (const part of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  }
  return value;
}

/** Merges changes into metadata; empty values remove their name. */
export function mergeMetadata(
  old: Record<string, string>,
  changes: Record<string, string> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...old, ...changes }).filter(([, value]) => value !== ''));
}
