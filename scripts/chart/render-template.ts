import { stringify } from 'yaml';
import { isRecord } from '../../apps/broker/src/platform/json.ts';

/**
 * Renders the templates of our own chart for the tests, because npm and Debian have no package of Helm. Supports what they use:
 * `if`, `range $name, $value :=`, `end`, paths, calls in parentheses, pipes, and the functions below. Anything else throws.
 */
export function renderTemplate(template: string, values: Record<string, unknown>): string {
  // a dash trims the white space on its side, as in Go's templates
  const pieces = template
    .replaceAll(/\s*\{\{-/g, '{{')
    .replaceAll(/-\}\}\s*/g, '}}')
    .split(/\{\{(.*?)\}\}/s);
  const position = { at: 0 };
  const text = renderBlock(pieces, position, values);
  if (position.at < pieces.length) throw new Error('an `end` closes no block');
  return text;
}

type Scope = Record<string, unknown>;

/** Renders pieces up to the `end` of the block. Pieces with an even index are text, the others actions. */
function renderBlock(pieces: readonly string[], position: { at: number }, scope: Scope): string {
  let text = '';
  while (position.at < pieces.length) {
    const isText = position.at % 2 === 0;
    const piece = (pieces[position.at++] ?? '').replace(isText ? '' : /^\s+|\s+$/g, '');
    if (isText) text += piece;
    else if (piece.trim() === 'end') return text;
    else text += renderAction(piece.trim(), pieces, position, scope);
  }
  return text;
}

function renderAction(action: string, pieces: readonly string[], position: { at: number }, scope: Scope): string {
  const [, word, rest = ''] = /^(if|range)\s+(.*)$/s.exec(action) ?? [];
  if (word === undefined) return String(evaluate(action, scope));
  const begin = position.at;
  const rounds = word === 'if' ? (evaluate(rest, scope) ? [scope] : []) : scopesOf(rest, scope);
  // renders an omitted block too, to find its end
  const texts = (rounds.length > 0 ? rounds : [undefined]).map((inner) => {
    position.at = begin;
    const text = renderBlock(pieces, position, inner ?? lenient(scope));
    return inner === undefined ? '' : text;
  });
  return texts.join('');
}

/** Returns a scope for an omitted block, in which a range may have no values. */
const lenient = (scope: Scope): Scope => ({ ...scope, $name: '', $value: '' });

function scopesOf(rest: string, scope: Scope): Scope[] {
  const [, name = '', value = '', source = ''] = /^(\$\w+), (\$\w+) := (.*)$/.exec(rest) ?? [];
  const found = evaluate(source, scope);
  if (!isRecord(found)) throw new Error(`${source} has no entries`);
  return Object.entries(found)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => ({ ...scope, [name]: key, [value]: entry }));
}

const functions: Record<string, (...args: unknown[]) => unknown> = {
  quote: (value) => JSON.stringify(String(value)),
  not: (value) => !value,
  gt: (a, b) => Number(a) > Number(b),
  add: (...terms) => terms.reduce((sum: number, term) => sum + Number(term), 0),
  div: (a, b) => Math.floor(Number(a) / Number(b)),
  default: (fallback, value) => value || fallback,
  printf: (format, ...args) => String(format).replaceAll('%s', () => String(args.shift())),
  toYaml: (value) => stringify(value).trimEnd(),
  nindent: (width, text) => `\n${String(text).replaceAll(/^/gm, ' '.repeat(Number(width)))}`,
};

/** Evaluates a pipe, whose calls get the previous result as their last argument. */
function evaluate(expression: string, scope: Scope): unknown {
  const parts = expression.split(/\s\|\s/);
  let result: unknown;
  for (const [index, part] of parts.entries()) result = call(wordsOf(part), scope, index === 0 ? [] : [result]);
  return result;
}

const wordsOf = (text: string): string[] => text.match(/\((?:[^()]*)\)|"[^"]*"|\S+/g) ?? [];

function call([first = '', ...rest]: string[], scope: Scope, piped: unknown[]): unknown {
  const run = Object.hasOwn(functions, first) ? functions[first] : undefined;
  if (run) return run(...rest.map((word) => valueOf(word, scope)), ...piped);
  if (rest.length > 0 || piped.length > 0) throw new Error(`unknown function ${first} in a template`);
  return valueOf(first, scope);
}

function valueOf(word: string, scope: Scope): unknown {
  if (word.startsWith('(')) return evaluate(word.slice(1, -1), scope);
  if (word.startsWith('"')) return word.slice(1, -1);
  if (/^\d+$/.test(word)) return Number(word);
  if (word.startsWith('$')) return scope[word];
  let value: unknown = scope;
  for (const name of word.slice(1).split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) throw new Error(`the chart has no value ${word}`);
    value = value[name];
  }
  return value;
}
