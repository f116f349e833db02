import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

// Interface copy has US spelling. A text from the specification, or a name that other programs read, stays as it is.

const root = join(import.meta.dirname, '..');

/** The most common British forms: beginnings of words, and endings that several words share. Paths are excluded. */
const british =
  /\b(?:(?:colour|favour|behaviour|neighbour|honour|labour|catalogue|centre|licence|defence|cheque|dialogue|travell|labell|modell|signall|judgement|enrolment|fulfilment)[a-z]*|grey|programmes?|whilst|towards|learnt|fulfils?|enrols?|cancell(?:ed|ing)|analys(?:e|ed|es|ing)|(?:organ|recogn|author|summar|custom|normal|anonym|initial|final|minim|maxim|optim|apolog|real|util|synchron)is(?:e|ed|es|ing|ation))\b(?!\/)/gi;

/** Texts that stay, each with the reason. */
const kept: readonly [text: string, why: string][] = [
  ['Rental cancelled by admin', 'part 2, section 7'],
  ['failed, refused, cancelled', "values of a metric's label"],
];

type Node = Record<string, unknown> & { type: string; start: number };

/** Yields the texts of a program, each template as a whole. */
function* textsOf(node: unknown): Generator<{ text: string; start: number }> {
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

/** Whether a text has more than one word, or one that begins like a label. Other words are names. */
const isCopy = (text: string) => /[^ \n][ \n]+[^ \n]/.test(text) || /^\s*[A-Z][a-z]+\s*$/.test(text);
/** Removes the kept texts, and words in quotes, which are names, such as a status in SQL. */
const withoutKept = (text: string) =>
  kept.reduce((rest, [stays]) => rest.replaceAll(stays, ''), text).replaceAll(/'[a-z]+'/g, '');
const wordsIn = (text: string) => withoutKept(text).match(british) ?? [];

function britishInProgram(file: string, code: string): string[] {
  if (wordsIn(code).length === 0) return [];
  const texts = [...textsOf(parseSync(file, code).program)].filter(({ text }) => isCopy(text));
  return texts.flatMap(({ text, start }) =>
    wordsIn(text).map((word) => `${file}:${code.slice(0, start).split('\n').length} ${word}`),
  );
}

/** Finds British forms in the prose of documents, without code and addresses. */
function britishInProse(file: string, text: string): string[] {
  let inCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) inCode = !inCode;
    const prose = line
      .split('`')
      .filter((_, part) => part % 2 === 0)
      .join(' ')
      .replaceAll(/\]\([^)]*\)/g, '](…)');
    return inCode ? [] : wordsIn(prose).map((word) => `${file}:${index + 1} ${word}`);
  });
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('copy has US spelling', () => {
  const programs = globSync('{apps,packages,services}/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.test\.tsx?$|\/testing\//.test(file),
  );
  expect(programs.length).toBeGreaterThan(1_000);
  const documents = globSync(['README.md', 'SECURITY.md', 'docs/*.md', 'docs/tutorials/*.md'], { cwd: root });
  const data = globSync('catalogue/**/*.json', { cwd: root });
  expect(data.length).toBeGreaterThan(10);
  expect([
    ...programs.flatMap((file) => britishInProgram(file, read(file))),
    ...documents.flatMap((file) => britishInProse(file, read(file))),
    ...data.flatMap((file) => britishInProgram(`${file}.ts`, `(${read(file)})`)),
  ]).toEqual([]);
});

test('a British form is found in texts, and not in names, comments and code', () => {
  expect(britishInProgram('a.tsx', 'const a = <p>Pick a\n colour</p>;')).toEqual(['a.tsx:1 colour']);
  expect(britishInProgram('a.ts', 'const a = `It was ${who} cancelled`; // a colour')).toEqual(['a.ts:1 cancelled']);
  expect(britishInProgram('a.ts', "import 'colour'; const colour = 'colour';")).toEqual([]);
  expect(britishInProse('a.md', 'Our `catalogue` is\nthe catalogue')).toEqual(['a.md:2 catalogue']);
});
