import { asRecord } from '#platform/json.ts';
import { NotImportable } from './wanted.ts';

/** A name and its value; '' if there is none. */
export type NamedText = readonly [name: string, value: string];

/** Returns the text of a member; undefined if it is absent or empty. @throws NotImportable for anything else */
export function readText(entry: Record<string, unknown>, member: string): string | undefined {
  const value = entry[member];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new NotImportable(`its "${member}" has to be a text`);
  return value;
}

/** Returns a list of texts; numbers and booleans count as texts. @throws NotImportable that names the member */
export function readTexts(value: unknown, member: string): string[] {
  if (value === undefined || value === null || value === '') return [];
  const isText = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one);
  if (!Array.isArray(value) || !value.every(isText)) {
    throw new NotImportable(`its "${member}" has to be a list of texts`);
  }
  return value.map(String);
}

/**
 * Returns the names and values of a member such as `headers` or `env`, which clients write as an object, a list of
 * `{ name, value }`, or a list of texts such as `NAME=value`.
 * @throws NotImportable that names the member
 */
export function readNamed(value: unknown, member: string, separator: ':' | '='): NamedText[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.map((one, index) => readOne(one, `${member}[${index}]`, separator));
  const record = asRecord(value);
  if (!record) throw new NotImportable(`its "${member}" has to be an object of names and values`);
  return Object.entries(record).map(([name, given]) => [name, textOf(given)]);
}

function readOne(value: unknown, at: string, separator: ':' | '='): NamedText {
  if (typeof value === 'string') {
    const end = value.indexOf(separator);
    if (end > 0) return [value.slice(0, end).trim(), value.slice(end + 1).trim()];
    // as with docker, the value is in the client's own environment
    if (separator === '=' && value !== '') return [value.trim(), ''];
  }
  const record = asRecord(value) ?? {};
  const name = record['name'] ?? record['key'];
  if (typeof name !== 'string' || name === '') {
    throw new NotImportable(`its "${at}" has to be { "name": …, "value": … }`);
  }
  return [name, textOf(record['value'])];
}

/** Returns '' for an object or a missing value, which counts as unknown: the operator enters it. */
const textOf = (value: unknown): string =>
  value === null || value === undefined || typeof value === 'object' ? '' : String(value);
