import { evaluate, parse, type DocumentNode, type ValueNode } from '@humanwhocodes/momoa';
import { readUtf8 } from '@souk/contract/manifest/read-utf8.ts';
import type { Issue } from '#platform/errors.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';

const maxDepth = 64;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type ReadJson = { value: unknown; issues: [] } | { value: undefined; issues: Issue[] };

/**
 * Reads hand-written JSON more strictly than JSON.parse: a byte order mark, NUL, invalid UTF-8, a duplicate key and a
 * key that would reach an object's prototype are mistakes or attacks, and are reported with their path. No issue quotes
 * a value: the file may contain secrets.
 * @param options.comments allows comments and trailing commas, as in the settings of editors
 */
export function readJson(source: Uint8Array | string, { comments = false }: { comments?: boolean } = {}): ReadJson {
  const { text, fault } = typeof source === 'string' ? { text: source, fault: undefined } : readUtf8(source);
  if (text === undefined) return failure('', fault);
  if (text.startsWith('\uFEFF')) return failure('', 'begins with a byte order mark: save it as UTF-8 without BOM');
  if (text.includes('\0') || text.includes('\\u0000')) return failure('', 'contains a NUL character');
  if (isTooDeep(text, maxDepth)) return failure('', `is nested deeper than ${maxDepth} levels`);
  let document: DocumentNode;
  try {
    document = parse(text, comments ? { mode: 'jsonc', allowTrailingCommas: true } : { mode: 'json' });
  } catch (error) {
    return failure('', `is not valid JSON: ${sayFault(error instanceof Error ? error.message : '', text)}`);
  }
  const issues: Issue[] = [];
  inspect(document.body, '', 1, issues);
  if (issues.length > 0) return { value: undefined, issues };
  return { value: evaluate(document), issues: [] };
}

const tokenWords: Readonly<Record<string, string>> = {
  LBrace: '{',
  RBrace: '}',
  LBracket: '[',
  RBracket: ']',
  Comma: 'a comma',
  Colon: 'a colon',
  String: 'a text',
  Number: 'a number',
  Boolean: 'true or false',
  Null: 'null',
  LineComment: 'a comment',
  BlockComment: 'a comment',
};

/** Describes a parser's error in our words. Does not repeat a word without quotes, which may be a secret. */
function sayFault(reason: string, text: string): string {
  const [, line, column] = /\((\d{1,9}):(\d{1,9})\)$/.exec(reason) ?? [];
  const where = line === undefined ? '' : ` at line ${line}, column ${column}`;
  const [, token] = /^Unexpected token (\w{1,20})/.exec(reason) ?? [];
  // the parser names the bracket that was never closed
  const mayBeCut = token === 'LBrace' || token === 'LBracket' || reason.startsWith('Unexpected end of input');
  if (mayBeCut && isCut(text)) return 'it ends before every bracket and quote is closed';
  if (token !== undefined) return `${tokenWords[token] ?? 'something'} is not expected${where}`;
  if (reason.includes(' identifier ')) return `a word without quotes is not expected${where}`;
  const [, character] = /^Unexpected character '(.)'/su.exec(reason) ?? [];
  return character === undefined ? `it cannot be read${where}` : `“${character}” is not expected${where}`;
}

/** Whether a text ends inside an object, a list or a string. */
function isCut(text: string): boolean {
  let open = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString && character === '\\') at += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && (character === '{' || character === '[')) open += 1;
    else if (!isInString && (character === '}' || character === ']')) open -= 1;
  }
  return open > 0 || isInString;
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
