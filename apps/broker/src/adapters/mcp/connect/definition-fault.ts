import type { StandardSchemaV1, StandardSchemaV1Sync } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { cleanLabel, hasHiddenCharacters } from '#platform/text/clean-label.ts';
const maxDefinitionBytes = 64 * 1024;
/** Limits of names and addresses, by which the catalogue finds definitions. */
const maxNameBytes = 256;
const maxAddressBytes = 2048;

/**
 * Reads one definition of a server's list.
 * @param key the field that names it
 * @returns `fault`: what is wrong with it, as text to follow its name
 */
export function readDefinition<Item>(
  item: unknown,
  key: string,
  schema: StandardSchemaV1Sync<unknown, Item>,
): { definition: Item; bytes: number } | { fault: string } {
  const bytes = Buffer.byteLength(JSON.stringify(item) ?? '');
  if (bytes > maxDefinitionBytes)
    return { fault: `the definition has ${bytes} bytes, and the limit is ${maxDefinitionBytes}` };
  if (hasNul(item)) return { fault: 'the definition contains a NUL character' };
  if (hasHiddenKey(item)) return { fault: 'the name of a field contains hidden characters' };
  const checked = schema['~standard'].validate(item);
  if (checked.issues) return { fault: `${pathOf(checked.issues[0])} is not valid` };
  const fault = faultOfName(Object(item)[key], key);
  return fault === undefined ? { definition: checked.value, bytes } : { fault };
}

function faultOfName(name: unknown, key: string): string | undefined {
  if (typeof name !== 'string' || name === '') return `${key} is empty`;
  const maxBytes = key === 'name' ? maxNameBytes : maxAddressBytes;
  if (Buffer.byteLength(name) > maxBytes) return `${key} is longer than ${maxBytes} bytes`;
  if (hasHiddenCharacters(name)) return `${key} contains hidden characters`;
  return undefined;
}

/** The outputSchema of a server up to 2025-11-25: the SDK reads more of it than its types say. */
const objectSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

export function isObjectSchema(schema: unknown): boolean {
  return schema === undefined || objectSchema.safeParse(schema).success;
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.includes('\0') || hasNul(inner));
}

/** Checks the names of fields, because the names of a tool's arguments are shown. */
function hasHiddenKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasHiddenCharacters(key) || hasHiddenKey(inner));
}

function pathOf(issue: StandardSchemaV1.Issue | undefined): string {
  const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  return path.length === 0 ? 'the definition' : cleanLabel(path.join('.'));
}
