import type { SyntaxNodeRef } from '@lezer/common';
import { parser } from '@lezer/json';

export type TextRange = { from: number; to: number };
export type Problem = TextRange & { message: string };

/** The broker's limit (catalogue/manifests/parse-manifest.ts). */
export const maxManifestBytes = 256 * 1024;

/** The broker's limit of nesting. */
const maxDepth = 64;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Syntax problems shown, since later ones follow from the first. */
const maxSyntaxProblems = 3;

export type JsonFields = {
  /** Position of each value by its path in the broker's notation: connection.url, features[0]. */
  values: ReadonlyMap<string, TextRange>;
  names: ReadonlyMap<string, TextRange>;
  /** If there are any, the text cannot be parsed. */
  syntaxProblems: Problem[];
  /** Duplicate or forbidden names, and too deep nesting. */
  nameProblems: Problem[];
};

type Level = {
  path: string;
  /** Keys of the object so far; undefined for a list. */
  keys: Set<string> | undefined;
  next: string;
  count: number;
};

/** Locates all fields of a JSON text and the problems of its form, in linear time. */
export function readFields(text: string): JsonFields {
  const values = new Map<string, TextRange>();
  const names = new Map<string, TextRange>();
  const syntaxProblems: Problem[] = [];
  const nameProblems: Problem[] = [];
  const levels: Level[] = [{ path: '', keys: undefined, next: '', count: 0 }];
  const placeOf = (level: Level) =>
    level.keys || levels.length === 1 ? level.next : `${level.path}[${level.count++}]`;

  function readName({ from, to }: TextRange, level: Level): void {
    const name = unquoted(text.slice(from, to));
    level.next = level.path === '' ? name : `${level.path}.${name}`;
    const report = (message: string) => nameProblems.push({ from, to, message: `${level.next} ${message}` });
    if (level.keys?.has(name)) report('is a duplicate key');
    if (forbiddenKeys.has(name)) report('is not an allowed name');
    level.keys?.add(name);
    names.set(level.next, { from, to });
  }

  parser.parse(text).iterate({
    enter(node) {
      const level = levels.at(-1);
      if (!level || node.name === 'JsonText' || node.name === 'Property') return undefined;
      if (node.type.isError) {
        if (syntaxProblems.length < maxSyntaxProblems) syntaxProblems.push(syntaxProblem(text, node));
        return undefined;
      }
      if (node.name === 'PropertyName') {
        readName(node, level);
        return undefined;
      }
      if (!valueNames.has(node.name)) return undefined;
      const { from, to } = node;
      const path = placeOf(level);
      values.set(path, { from, to });
      if (node.name !== 'Object' && node.name !== 'Array') return undefined;
      if (levels.length > maxDepth) {
        nameProblems.push({ from, to: from + 1, message: `is nested deeper than ${maxDepth} levels` });
        return false;
      }
      levels.push({ path, keys: node.name === 'Object' ? new Set() : undefined, next: path, count: 0 });
      return undefined;
    },
    leave(node) {
      if (node.name === 'Object' || node.name === 'Array') levels.pop();
    },
  });
  return { values, names, syntaxProblems, nameProblems };
}

const valueNames: ReadonlySet<string> = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

/** Returns the text of a quoted name. An ill-formed name only loses its quotes. */
export function unquoted(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.replaceAll('"', '');
  }
}

function syntaxProblem(text: string, { from, to }: SyntaxNodeRef): Problem {
  const before = text.slice(0, from).trimEnd();
  if (before.endsWith(',') && /^\s*[}\]]/.test(text.slice(from, from + 1000))) {
    return {
      from: before.length - 1,
      to: before.length,
      message: 'There is a comma before a closing bracket: remove it',
    };
  }
  if (to > from)
    return { from, to, message: 'This is not expected here: a comma, a quote or a bracket may be missing' };
  const at = Math.max(0, before.length - 1);
  return { from: at, to: before.length, message: 'Something is missing here: a value, a comma or a closing bracket' };
}
