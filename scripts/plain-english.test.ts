import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

// Comments are plain English. The comment of a declaration begins with a verb or with the name of a thing: "Returns the
// newest row", "Number of retries". A vague pronoun has a plain noun in its place: "visitors", "users", "any value".
// In the code of tests, comments and names of tests count; the other literals are data or quote the product.

const root = join(import.meta.dirname, '..');

/** Beginnings of comments that do not name their thing. */
const unclear = /^(?:(?:Of|With|Without|What|Those|Who|Whose|Such|So|It|Its|One that|In which)\b)/i;
const vague = /\b(?:nobody|somebody|anybody|whoever|whatever)\b/gi;

/** String literals that stay, each with the reason. */
const kept: readonly [file: string, text: string, why: string][] = [
  [
    'apps/broker/src/features/upstreams/processes/personal-folders.ts',
    'nobody',
    'the name of a folder in the data of existing installations',
  ],
];

type Text = { text: string; start: number };
type Node = Record<string, unknown> & { type: string; start: number };

const isTestCode = (file: string) => /\.(?:test|spec)\.tsx?$|(?:^|\/)testing\/|^e2e\//.test(file);

/** Yields the calls of `test`, `it` and `describe`, also as in `test.each([…])(…)` and `describeOnDatabases(…)`. */
function* testCallsOf(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const part of node) yield* testCallsOf(part);
    return;
  }
  const { type, callee } = node as Node;
  if (type === 'CallExpression' && /^(?:test|it|describe)(?:[A-Z]|$)/.test(firstNameOf(callee) ?? ''))
    yield node as Node;
  for (const part of Object.values(node)) yield* testCallsOf(part);
}

/** Returns `test` for `test`, `test.skip` and `test.each([…])`. */
function firstNameOf(node: unknown): string | undefined {
  const { name, object, callee, tag } = node as Record<string, unknown>;
  const inner = object ?? callee ?? tag;
  return inner === undefined ? (name as string | undefined) : firstNameOf(inner);
}

/** Yields the names of tests and blocks, without the tables of `test.each`. */
function* testNamesOf(program: unknown): Generator<Text> {
  for (const call of testCallsOf(program)) {
    const [name] = call['arguments'] as (Node | undefined)[];
    if (name?.type === 'Literal' || name?.type === 'TemplateLiteral') yield* textsOf(name);
  }
}

/** Yields the string literals, templates and JSX texts of a program. */
function* textsOf(node: unknown): Generator<Text> {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const part of node) yield* textsOf(part);
    return;
  }
  const { type, start, value, quasis } = node as Node;
  if (type === 'ImportDeclaration') return;
  if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') yield { text: value, start };
  if (type === 'TemplateLiteral') {
    yield { text: (quasis as { value: { raw: string } }[]).map((part) => part.value.raw).join('…'), start };
  }
  for (const part of Object.values(node)) yield* textsOf(part);
}

/** Joins the lines of a comment, without the asterisks before them. */
const sentencesOf = (comment: string) =>
  comment
    .split('\n')
    .map((line) => line.trim().replace(/^\*+/, '').trim())
    .join(' ')
    .trim();

function findingsIn(file: string, code: string): string[] {
  const { program, comments } = parseSync(file, code);
  const at = (start: number) => `${file}:${code.slice(0, start).split('\n').length}`;
  const beginnings = comments
    .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .map(({ value, start }) => ({ start, found: unclear.exec(sentencesOf(value))?.[0] }))
    .filter(({ found }) => found !== undefined)
    .map(({ start, found }) => `${at(start)} begins with "${found}"`);
  const isKept = (text: string) => kept.some(([where, stays]) => where === file && stays === text);
  const texts = [
    ...comments.map(({ value, start }): Text => ({ text: value, start })),
    ...[...(isTestCode(file) ? testNamesOf(program) : textsOf(program))].filter(({ text }) => !isKept(text)),
  ];
  const words = texts.flatMap(({ text, start }) => (text.match(vague) ?? []).map((word) => `${at(start)} "${word}"`));
  return [...beginnings, ...words];
}

test('comments and texts are plain English', () => {
  const files = globSync(
    '{*,{apps,packages,services,scripts,bench,clients,conformance,deploy,e2e}/**/*}.{ts,tsx,mjs,js}',
    {
      cwd: root,
      exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
    },
  );
  expect(files.length).toBeGreaterThan(2_400);
  expect(files.flatMap((file) => findingsIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test('each kept text is still in its file', () => {
  const isThere = ([file, text]: (typeof kept)[number]) => {
    const code = readFileSync(join(root, file), 'utf8');
    return [...textsOf(parseSync(file, code).program)].some((found) => found.text === text);
  };
  expect(kept.filter((entry) => !isThere(entry))).toEqual([]);
});

test.each([
  ['/** Of a plan. */', 'Of'],
  ['/** With its tools. */', 'With'],
  ['/** Without a page all are returned. */', 'Without'],
  ['/** What the client sent. */', 'What'],
  ["/** What's new. */", 'What'],
  ['/** Those that wait. */', 'Those'],
  ['/** Who may use it. */', 'Who'],
  ['/** Whose token it is. */', 'Whose'],
  ['/** Such as files. */', 'Such'],
  ['/** So that it stops. */', 'So'],
  ['/** It is deployed. */', 'It'],
  ['/** Its tools. */', 'Its'],
  ['/** One that ends. */', 'One that'],
  ['/** In which order. */', 'In which'],
  ['/**\n * What it costs,\n * in credits.\n */', 'What'],
])('the comment %j begins unclearly', (comment, found) => {
  expect(findingsIn('a.ts', `const a = 1;\n${comment}\nconst b = 2;`)).toEqual([`a.ts:2 begins with "${found}"`]);
});

test.each([
  '/** Returns what the client sent. */',
  '/** Whether it is deployed. */',
  '/** Items of a plan. */',
  '/** Offset of a page. */',
  '/** One page of a list. */',
  '/** Issuer of the token. */',
  '/** @returns what it costs */',
  '/* What this was. */',
  '// What this was.',
])('the comment %j is plain', (comment) => {
  expect(findingsIn('a.ts', `${comment}\nconst a = 1;`)).toEqual([]);
});

test('a vague pronoun is found in comments and texts, and not in names, imports and code', () => {
  expect(findingsIn('a.ts', '// It asks nobody.\nconst a = 1; /* Anybody may. */')).toEqual([
    'a.ts:1 "nobody"',
    'a.ts:2 "Anybody"',
  ]);
  expect(findingsIn('a.tsx', 'const a = <p title="Whoever asks">\nor somebody</p>;')).toEqual([
    'a.tsx:1 "Whoever"',
    'a.tsx:1 "somebody"',
  ]);
  expect(findingsIn('a.ts', 'const a = `for ${who}, whatever it is`;')).toEqual(['a.ts:1 "whatever"']);
  expect(findingsIn('a.ts', "import 'nobody'; const nobody = /nobody/; whatever(nobody);")).toEqual([]);
});

test('a kept text stays in its own file alone', () => {
  const [file = ''] = kept[0] ?? [];
  expect(findingsIn(file, "const folder = 'nobody';")).toEqual([]);
  expect(findingsIn('a.ts', "const folder = 'nobody';")).toEqual(['a.ts:1 "nobody"']);
});

test('in the code of tests only comments and names of tests count', () => {
  const code = [
    "test.describe('Anybody', () => test.each(['nobody'])('is %s, whoever asks', () => expect('nobody')));",
    'it(`asks nobody of ${all}`, () => ask("somebody")); // whatever it is',
  ].join('\n');
  const found = ['1 "Anybody"', '1 "whoever"', '2 "nobody"', '2 "whatever"'];
  for (const file of ['a.test.ts', 'b.spec.ts', 'src/testing/a.tsx', 'e2e/a.ts']) {
    expect(findingsIn(file, code).toSorted()).toEqual(found.map((each) => `${file}:${each}`));
  }
  expect(findingsIn('a.mjs', code)).toHaveLength(7);
});
