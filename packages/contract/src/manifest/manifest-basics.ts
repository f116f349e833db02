import { z } from 'zod';

// Parts of manifests that the shop's calls use. The first load of the web app needs only these.

/**
 * Path segments of our own endpoints under /mcp/ and of /connect/callback, which no server id may equal (clarifications,
 * Addresses).
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

/** Short name of a server, the first part of its tools' names on /mcp (`slug__tool`). */
export const slugSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,11}$/, 'must be 1 to 12 of a-z, 0-9 and -, beginning with a letter or digit')
  .refine((slug) => !slug.includes('__'), 'must not contain "__"');

/** Control characters, and characters that hide or reorder text. */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
/** Optional single-line text for display. */
export const lineOrNone = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !hidden.test(text), 'must not contain hidden characters');

/** Single-line text for display. */
export const line = (max: number) => lineOrNone(max).min(1, 'must not be empty');

/** Whether a text looks like the feature that marks a plan (spec part 2, section 3: "Service"). */
export const readsLikePlan = (text: string): boolean => /^system\s+subscription\s*\(/i.test(text.trim());

/** A feature of a server, its rentals and purchases. Text that would make them look like a plan is rejected. */
export const serverFeature = line(120).refine(
  (text) => !readsLikePlan(text),
  'must not look like a plan: “System subscription (…)” is reserved for plans',
);

/** Categories of the home page's type filter (spec part 1, Home). */
export const categories = { api: 'API Services', data: 'Data Sources', productivity: 'Productivity' } as const;
export const categorySchema = z.enum(['api', 'data', 'productivity']);

/** `form` and `url`: elicitation; `sampling`: the client's model; `roots`: the client's folders. */
export const questionKindSchema = z.enum(['form', 'url', 'sampling', 'roots']);
export type QuestionKind = z.output<typeof questionKindSchema>;
