import { cleanLabel } from '#platform/text/clean-label.ts';
import { cleanText } from './clean-text.ts';
import type { CapabilityKind } from '../tables.ts';

/** Fields with text that users and models read, at any depth, including schemas and prompts' arguments. */
const textFields: ReadonlySet<string> = new Set(['title', 'description']);

/** Titles are cut to this length and to one line. */
const maxTitleCharacters = 256;

export type CleanDefinition = { cleaned: Record<string, unknown>; flagged: boolean };

/**
 * Cleans a server's definition for storage: titles and descriptions without hidden characters (`flagged` if there were
 * any), and no string that PostgreSQL's jsonb refuses (NUL, half of a surrogate pair).
 */
export function cleanDefinition(kind: CapabilityKind, body: Record<string, unknown>): CleanDefinition {
  let flagged = false;
  // the name of a tool or prompt is used to call it; that of a resource is a title
  const hasTitleAsName = kind === 'resource' || kind === 'template';

  function clean(value: unknown, field: string | undefined): unknown {
    if (typeof value === 'string') {
      const storable = toStorable(value);
      if (field === undefined || !textFields.has(field)) return storable;
      const result = cleanText(storable);
      flagged ||= result.flagged;
      return field === 'title' ? cleanLabel(result.cleaned, maxTitleCharacters) : result.cleaned;
    }
    if (Array.isArray(value)) return value.map((item) => clean(item, undefined));
    return typeof value === 'object' && value !== null ? cleanRecord({ ...value }) : value;
  }
  function cleanRecord(record: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(record).map(([key, value]) => [toStorable(key), clean(value, key)]));
  }

  const cleaned = cleanRecord(body);
  if (hasTitleAsName) cleaned['name'] = clean(body['name'], 'title');
  return { cleaned, flagged };
}

function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
