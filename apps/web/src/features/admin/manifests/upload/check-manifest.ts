import { readUtf8 } from '@souk/contract/manifest/read-utf8.ts';
import { maxManifestBytes, readFields } from '../../server/editor/json-fields.ts';

const notJsonFileText = 'Please select a JSON file';
const unreadableFileText = 'Invalid JSON file. Please check the file format.';
const nothingText = 'Please enter a manifest JSON or upload a file';
const invalidJsonText = 'Invalid JSON format. Please check your manifest syntax.';
const missingFieldsText = 'Invalid manifest: Missing required fields (id, name, serviceType)';
const tooLargeText = 'Invalid manifest: is larger than 256 KiB';

/** What is wrong with a text, in the specification's words (part 2, section 5), and where. */
export type ManifestFault = { text: string; detail?: string | undefined };

/**
 * What the browser finds wrong with a manifest before it is sent. Everything else is found by the broker, which names the
 * fields: a byte order mark, NUL and keys that come twice among it.
 * @param from whether the text is as it was in a file, or was typed or changed here
 * @returns undefined where nothing is wrong
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

/** As the editor tells it: the texts of browsers for it differ, and some quote the document. */
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
 * The text of a file as it stands, its byte order mark included.
 * @returns a fault where the file is no JSON file, is too large or is not UTF-8
 */
export async function readManifestFile(file: File): Promise<string | ManifestFault> {
  if (!file.name.toLowerCase().endsWith('.json')) return { text: notJsonFileText };
  if (file.size > maxManifestBytes) return { text: tooLargeText };
  const { text, fault } = readUtf8(new Uint8Array(await file.arrayBuffer()));
  return text ?? { text: unreadableFileText, detail: `It ${fault}.` };
}
