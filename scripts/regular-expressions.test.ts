import { expect, test } from 'vitest';
import { expressionsIn, expressionsOfFile, isLinear, productFiles } from './regular-expressions.ts';

/**
 * Expressions that the analyzer cannot judge, with the reason why each may stay. Rewrite an expression instead of
 * listing it here.
 */
const judgedByHand: Readonly<Record<string, string>> = {
  [`new RegExp(value, 'u')`]: 'a pattern of a server, compiled to see whether it is one, and never run',
  [String.raw`/\{package:((?:@[^/}]+\/)?[^/}]+)\/([^}]+)\}/g`]: 'reads the allow-list, a file of the operator alone',
  [String.raw`/;([A-Za-z0-9-]+)=(?:"([^"]*)"|([^;]*))/g`]:
    'matches at every ";" of a text that the expression for the whole line has accepted, so no quote is left open',
};

test('every regular expression of the product takes linear time', () => {
  const expressions = productFiles().flatMap(expressionsOfFile);
  expect(expressions.length).toBeGreaterThan(100);
  const slow = expressions.filter((expression) => !isLinear(expression));
  const unknown = slow.filter(({ source }) => !Object.hasOwn(judgedByHand, source));
  expect(unknown.map(({ at, source }) => `${at} ${source}`)).toEqual([]);
  const needless = Object.keys(judgedByHand).filter((listed) => !slow.some(({ source }) => source === listed));
  expect(needless).toEqual([]);
});

test.each([
  '/^(a+)+$/',
  '/(x+x+)+y/',
  String.raw`/\/+$/`,
  String.raw`/^[^@\s]+@[^@\s]+\.[^@\s]+$/`,
  '/#.*$/',
  "new RegExp('a')",
  'RegExp(text)',
  "new globalThis.RegExp('a')",
  "text.match('^(a+)+$')",
  'text?.matchAll(other)',
  'text.search(`${other}`)',
])('%s is found, and does not pass', (source) => {
  const [expression, ...others] = expressionsIn('some.ts', `const text = '';\nexport const found = [${source}];\n`);
  expect(expression).toMatchObject({ at: 'some.ts:2', source });
  expect(others).toEqual([]);
  expect(expression && isLinear(expression)).toBe(false);
  const inTemplate = expressionsIn('some.ts', `export const found = \`a \${${source}} b\`;`);
  expect(inTemplate).toMatchObject([{ source }]);
});

test.each(['/^[a-z]+$/', String.raw`/^\d{1,9}$/`, String.raw`/\r\n|\n|\r/`])('%s passes', (source) => {
  const [expression] = expressionsIn('some.ts', `export const found = ${source};\n`);
  expect(expression && isLinear(expression)).toBe(true);
});
