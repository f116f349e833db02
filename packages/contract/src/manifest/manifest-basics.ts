import { z } from 'zod';

// What calls of the shop need of manifests: the first load of the web app has this, and not what a whole manifest is.

/**
 * Path segments of our own endpoints under /mcp/ and of /connect/callback: no server may have one of them as its id
 * (clarifications, Addresses).
 */
const reservedServerIds = [
  'oauth',
  'info',
  'health',
  'tools',
  'prompts',
  'resources',
  'capabilities',
  'refresh',
  'callback',
] as const;

const reserved: ReadonlySet<string> = new Set(reservedServerIds);

export const serverIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and -, beginning with a letter or digit')
  .refine((id) => !reserved.has(id), 'is reserved');

/** Our short name of a server, the first part of its tools' names on /mcp (`slug__tool`). */
export const slugSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,11}$/, 'must be 1 to 12 of a-z, 0-9 and -, beginning with a letter or digit')
  .refine((slug) => !slug.includes('__'), 'must not contain "__"');

/** Controls, and characters that hide text or turn it around. */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
/** One line of text that is shown, or none: what administrators write beside what they do. */
export const lineOrNone = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !hidden.test(text), 'must not contain hidden characters');

/** One line of text that is shown. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !hidden.test(text), 'must not contain hidden characters');

/** Whether a text marks a plan (spec part 2, section 3: "Service"). */
export const readsLikePlan = (text: string): boolean => /^system\s+subscription\s*\(/i.test(text.trim());

/** A point that is shown of a server, and of its rentals and purchases. One that would make them look like a plan is refused. */
export const serverFeature = line(120).refine(
  (text) => !readsLikePlan(text),
  'must not read like a plan: “System subscription (…)” is the text of plans',
);

/** Home's type select: All Types, API Services, Data Sources, Productivity (spec part 1, Home). */
export const categories = { api: 'API Services', data: 'Data Sources', productivity: 'Productivity' } as const;
export const categorySchema = z.enum(['api', 'data', 'productivity']);

/** `form` and `url`: elicitation; `sampling`: the client's model; `roots`: the folders that it works in. */
export const questionKindSchema = z.enum(['form', 'url', 'sampling', 'roots']);
export type QuestionKind = z.output<typeof questionKindSchema>;
