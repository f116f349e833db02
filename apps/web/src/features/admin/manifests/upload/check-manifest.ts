import { readUtf8 } from '@souk/contract/manifest/read-utf8.ts';
import { maxManifestBytes, readFields } from '../../server/editor/json-fields.ts';

const notJsonFileText = 'Please select a JSON file';
const unreadableFileText = 'Invalid JSON file. Please check the file format.';
const nothingText = 'Please enter a manifest JSON or upload a file';
const invalidJsonText = 'Invalid JSON format. Please check your manifest syntax.';
const missingFieldsText = 'Invalid manifest: Missing required fields (id, name, serviceType)';
const tooLargeText = 'Invalid manifest: is larger than 256 KiB';

/** The specification's text for an invalid manifest (part 2, section 5), and the place of the fault. */
export type ManifestFault = { text: string; detail?: string | undefined };

/**
 * Checks a manifest before it is sent. The broker checks everything else, such as byte order marks, NUL and duplicate keys,
 * and names the fields.
 * @param from whether the text is an unchanged file, or was typed or edited
 * @returns undefined if nothing is wrong
 */
export function manifestFault(text: string, from: 'file' | 'typed'): ManifestFault | undefined {
  if (text.trim() === '') return { text: nothingText };
  if (new TextEncoder().encode(text).length > maxManifestBytes) return { text: tooLargeText };
  let value: unknown;
  const read = text.replace(/^\uFEFF/, '').replaceAll('\0', ' ');
  try {
    value = JSON.parse(read);
  } catch {
    return { text: from === 'file' ? unreadableFileText : invalidJsonText, detail: placeOf(read) };
  }
  return hasRequired(value) ? undefined : { text: missingFieldsText };
}

/** Describes the first syntax error as the editor does. Browsers' own messages differ, and some quote the document. */
function placeOf(text: string): string | undefined {
  const [problem] = readFields(text).syntaxProblems;
  if (!problem) return undefined;
  const before = text.slice(0, problem.from).split('\n');
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${problem.message}.`;
}

function hasRequired(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return ['id', 'name', 'serviceType'].every(
    (name) => ![undefined, null, ''].some((none) => none === fields.get(name)),
  );
}

/**
 * Reads a file as text, including its byte order mark.
 * @returns a fault if the file isn't named .json, is too large or isn't UTF-8
 */
export async function readManifestFile(file: File): Promise<string | ManifestFault> {
  if (!file.name.toLowerCase().endsWith('.json')) return { text: notJsonFileText };
  if (file.size > maxManifestBytes) return { text: tooLargeText };
  const { text, fault } = readUtf8(new Uint8Array(await file.arrayBuffer()));
  return text ?? { text: unreadableFileText, detail: `It ${fault}.` };
}
