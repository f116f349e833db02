// Finds every regular expression of the product in the syntax tree, and judges whether it takes linear time.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isSafePattern } from 'redos-detector';

const root = join(import.meta.dirname, '..');
/** Code that processes external text. Our scripts only read our own files. */
const product = ['apps/*/src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts', 'services/*/src/**/*.ts'];
/** Analysis limit. A fixed number gives the same result on every machine. */
const maxSteps = 20_000;

export type Expression = {
  /** Path relative to the repository, and line. */
  at: string;
  source: string;
  /** Undefined for an expression that is composed at run time. */
  literal: { pattern: string; flags: string } | undefined;
};

export function productFiles(): string[] {
  const isTest = (file: string) => file.includes('.test.') || file.includes('/testing/');
  return globSync(product, { cwd: root }).filter((file) => !isTest(file));
}

export function expressionsOfFile(file: string): Expression[] {
  return expressionsIn(file, readFileSync(join(root, file), 'utf8'));
}

/** @throws Error when the code cannot be parsed */
export function expressionsIn(file: string, code: string): Expression[] {
  const { program, errors } = parseSync(file, code);
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const literal = literalOf(node);
    if (literal || isConstruction(node)) {
      const [start, end] = rangeOf(node);
      const line = code.slice(0, start).split('\n').length;
      found.push({ at: `${file}:${line}`, source: code.slice(start, end), literal });
    }
    Object.values(node).forEach(visit);
  };
  visit(program);
  return found;
}

/** Whether it takes linear time for every input, as far as the analyzer can tell. */
export function isLinear({ literal }: Expression): boolean {
  if (!literal) return false;
  const { pattern, flags } = literal;
  return isSafePattern(pattern, {
    unicode: /[uv]/.test(flags),
    caseInsensitive: flags.includes('i'),
    multiLine: flags.includes('m'),
    dotAll: flags.includes('s'),
    timeout: Number.POSITIVE_INFINITY,
    maxSteps,
  }).safe;
}

function literalOf(node: object): Expression['literal'] {
  const regex = 'regex' in node ? node.regex : undefined;
  if (typeof regex !== 'object' || regex === null || !('pattern' in regex) || !('flags' in regex)) return undefined;
  return { pattern: String(regex.pattern), flags: String(regex.flags) };
}

/**
 * Whether a call builds an expression from text: `RegExp(…)`, with or without `new`, or `text.match(…)` and the like with a
 * text in place of an expression.
 */
function isConstruction(node: object): boolean {
  if (!('type' in node) || (node.type !== 'NewExpression' && node.type !== 'CallExpression')) return false;
  const callee = fieldsOf(node)['callee'];
  const { name = fieldsOf(fieldsOf(callee)['property'])['name'], type } = fieldsOf(callee);
  if (name === 'RegExp') return true;
  if (type !== 'MemberExpression' || !expressionMethods.has(name)) return false;
  const [argument, ...others] = Object.values(fieldsOf(fieldsOf(node)['arguments']));
  return argument !== undefined && others.length === 0 && !literalOf(fieldsOf(argument));
}

/** Methods of texts that convert a text argument to an expression. */
const expressionMethods: ReadonlySet<unknown> = new Set(['match', 'matchAll', 'search']);

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function rangeOf(node: object): [number, number] {
  return 'start' in node && 'end' in node ? [Number(node.start), Number(node.end)] : [0, 0];
}
