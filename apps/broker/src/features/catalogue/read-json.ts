import { evaluate, parse, type DocumentNode, type ValueNode } from '@humanwhocodes/momoa';
import type { Issue } from '#platform/errors.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';

const maxDepth = 64;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type ReadJson = { value: unknown; issues: [] } | { value: undefined; issues: Issue[] };

/**
 * Reads JSON that was written by hand, more strictly than JSON.parse: a byte order mark, NUL, invalid UTF-8, a duplicate
 * key and a key that would reach an object's prototype are mistakes or attacks, and are reported with their path
 * (security.md, bad input 31). No issue quotes a value: the file may hold secrets.
 * @param options.comments comments and trailing commas are allowed, as in the settings of editors
 */
export function readJson(source: Uint8Array | string, { comments = false }: { comments?: boolean } = {}): ReadJson {
  const text = typeof source === 'string' ? source : decode(source);
  if (text === undefined) return failure('', 'is not valid UTF-8');
  if (text.startsWith('\uFEFF')) return failure('', 'begins with a byte order mark: save it as UTF-8 without BOM');
  if (text.includes('\0') || text.includes('\\u0000')) return failure('', 'contains a NUL character');
  if (isTooDeep(text, maxDepth)) return failure('', `is nested deeper than ${maxDepth} levels`);
  let document: DocumentNode;
  try {
    document = parse(text, comments ? { mode: 'jsonc', allowTrailingCommas: true } : { mode: 'json' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failure('', `is not valid JSON: ${asWritten(withoutWord(reason))}`);
  }
  const issues: Issue[] = [];
  inspect(document.body, '', 1, issues);
  if (issues.length > 0) return { value: undefined, issues };
  return { value: evaluate(document), issues: [] };
}

const characters: Readonly<Record<string, string>> = {
  LBrace: '{',
  RBrace: '}',
  LBracket: '[',
  RBracket: ']',
  Comma: ',',
  Colon: ':',
};

/** The parser has names of its own for the characters of JSON. */
function asWritten(reason: string): string {
  return reason.replace(/^Unexpected token (\w{1,20})/, (whole, name: string) => {
    const character = characters[name];
    return character === undefined ? whole : `Unexpected token ${character}`;
  });
}

/** A word without quotes may be a secret. */
function withoutWord(reason: string): string {
  const begin = reason.indexOf(" identifier '");
  return begin === -1 ? reason : `${reason.slice(0, begin)} word${reason.slice(reason.lastIndexOf("'") + 1)}`;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function failure(path: string, message: string): ReadJson {
  return { value: undefined, issues: [{ path, message }] };
}

function inspect(node: ValueNode, path: string, depth: number, issues: Issue[]): void {
  if (depth > maxDepth) {
    issues.push({ path, message: `is nested deeper than ${maxDepth} levels` });
    return;
  }
  if (node.type === 'Array') {
    node.elements.forEach((element, index) => inspect(element.value, `${path}[${index}]`, depth + 1, issues));
  } else if (node.type === 'Object') {
    const seen = new Set<string>();
    for (const member of node.members) {
      const key = member.name.type === 'String' ? member.name.value : member.name.name;
      const memberPath = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) issues.push({ path: memberPath, message: 'is a duplicate key' });
      if (forbiddenKeys.has(key)) issues.push({ path: memberPath, message: 'is not an allowed name' });
      seen.add(key);
      inspect(member.value, memberPath, depth + 1, issues);
    }
  }
}
