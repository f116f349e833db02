import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compare, crowdedIn, idsOf, readAtoms, readTests } from './spec-coverage.ts';

const markdown = `# Atoms
- A test carries its id, e.g. \`test('[${'HOME'}-9] …')\`.

## CAT: Catalogue calls

| id | what must be true | source |
|---|---|---|
| CAT-1 | GET /mcp/info answers 'a | b'. | p1 §3 |
| CAT-2 | Another. | p1 |

## PAT: Tokens

| PAT-1 | A token. | p2 |
`;

/** Prevents the ids of this file's examples from counting as names of tests. */
const named = (...ids: string[]) => `[${ids.join(', ')}]`;

test('areas and atoms are read from the tables', () => {
  expect(readAtoms(markdown)).toEqual({
    areas: [
      { name: 'CAT', title: 'Catalogue calls' },
      { name: 'PAT', title: 'Tokens' },
    ],
    atoms: [
      { id: 'CAT-1', area: 'CAT', text: "GET /mcp/info answers 'a | b'." },
      { id: 'CAT-2', area: 'CAT', text: 'Another.' },
      { id: 'PAT-1', area: 'PAT', text: 'A token.' },
    ],
  });
});

test('ids are read from names, one or several, and not from comments or other brackets', () => {
  const source = [
    `test('${named('CAT-1')} one', () => {});`,
    `test.each([1])('${named('CAT-2', 'PAT-1')} two ${named('CAT-1')}', () => {});`,
    `  // see ${named('PAT-2')}`,
    ` * ${named('PAT-3')}`,
    `const other = [A_1, 'UTF-8'];`,
  ].join('\n');
  expect(idsOf(source)).toEqual(['CAT-1', 'CAT-2', 'PAT-1']);
});

test('no test names more than four facts, because its failure would not show which is untrue', () => {
  const four = ['CAT-1', 'CAT-2', 'PAT-1', 'PAT-2'].map((id) => named(id)).join(' ');
  expect(crowdedIn(`test('${four} four', () => {});\n// ${four} ${named('PAT-3')}`)).toEqual([]);
  const crowded = `test('${four} ${named('PAT-3')} five', () => {});`;
  expect(crowdedIn(`\n  ${crowded}\n`)).toEqual([crowded]);
  const found = [...readTests(join(import.meta.dirname, '..'))].flatMap(([file, source]) =>
    crowdedIn(source).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('atoms that no test names are listed by area, and unknown ids with their files', () => {
  const tests = new Map([
    ['a.test.ts', ['CAT-1', 'CAT-9']],
    ['b.test.ts', ['CAT-1', 'CAT-9']],
  ]);
  const coverage = compare(markdown, tests);
  expect(coverage.areas.map(({ name, total, unnamed }) => [name, total, unnamed.map(({ id }) => id)])).toEqual([
    ['CAT', 2, ['CAT-2']],
    ['PAT', 1, ['PAT-1']],
  ]);
  expect([coverage.total, coverage.named]).toEqual([3, 1]);
  expect(coverage.unknown).toEqual([{ id: 'CAT-9', files: ['a.test.ts', 'b.test.ts'] }]);
});
