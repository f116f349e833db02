import { readUtf8 } from '@souk/contract/manifest/read-utf8.ts';
import { parse as parseToml, TomlError } from 'smol-toml';
import { readJson } from '#features/catalogue/index.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';

export const maxImportBytes = 1024 * 1024;
/** Largest text for the strict reader, which reports more but takes a second for 1 MiB. */
const maxStrictBytes = 128 * 1024;

/** Thrown for a text in an unknown format. The message says where. */
export class UnreadableText extends Error {}

/**
 * Reads the text of a configuration: JSON, optionally with comments and trailing commas, or the TOML of Codex.
 * @throws UnreadableText whose message quotes no value, since the text may contain secrets
 */
export function readImportText(source: Uint8Array | string): unknown {
  const bytes = Buffer.byteLength(source);
  if (bytes > maxImportBytes) throw new UnreadableText('is larger than 1 MiB: paste the part with the servers alone');
  const text = typeof source === 'string' ? source : decode(source);
  if (text.trim() === '') throw new UnreadableText('is empty');
  if (looksLikeToml(text)) return readToml(text);
  if (bytes > maxStrictBytes) return readLong(text);
  const read = readJson(text, { comments: true });
  const [issue] = read.issues;
  if (issue) throw new UnreadableText(`${issue.path === '' ? '' : `(${issue.path}) `}${issue.message}`);
  return read.value;
}

function decode(bytes: Uint8Array): string {
  const { text, fault } = readUtf8(bytes);
  if (text === undefined) throw new UnreadableText(fault);
  return text;
}

/** Returns whether a text is TOML. JSON may begin with a bracket too, but not with an unquoted name after it. */
function looksLikeToml(text: string): boolean {
  for (const line of text.split('\n', 2_000)) {
    const plain = line.trim();
    if (plain === '' || plain.startsWith('#')) continue;
    if (plain.startsWith('//') || plain.startsWith('{')) return false;
    return /^\[{1,2}[A-Za-z_]/.test(plain) || /^[A-Za-z_][\w-]{0,100} {0,10}=/.test(plain);
  }
  return false;
}

function readToml(text: string): unknown {
  try {
    return parseToml(text, { maxDepth: 64 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UnreadableText(`is not valid TOML at line ${error.line}, column ${error.column}`);
  }
}

function readLong(text: string): unknown {
  if (text.includes('\0') || text.includes(String.raw`\u0000`)) throw new UnreadableText('contains a NUL character');
  if (isTooDeep(text)) throw new UnreadableText('is nested deeper than 64 levels');
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, line, column] = /line (\d{1,9}) column (\d{1,9})/.exec(error instanceof Error ? error.message : '') ?? [];
    const where = line === undefined ? '' : ` at line ${line}, column ${column}`;
    throw new UnreadableText(`is not valid JSON${where} (above 128 KiB without comments and trailing commas)`);
  }
}
