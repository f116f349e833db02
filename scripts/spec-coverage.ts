import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fact of docs/spec/atoms.md, whose id test names contain. */
export type Atom = { id: string; area: string; text: string };
export type Area = { name: string; title: string };

export type Coverage = {
  areas: { name: string; title: string; total: number; unnamed: Atom[] }[];
  total: number;
  named: number;
  /** Unknown ids in test names, with their files. */
  unknown: { id: string; files: string[] }[];
};

/** Reads areas (`## CAT: Catalogue calls`) and atoms (`| CAT-1 | text | source |`). */
export function readAtoms(markdown: string): { areas: Area[]; atoms: Atom[] } {
  const areas: Area[] = [];
  const atoms: Atom[] = [];
  for (const line of markdown.split('\n')) {
    const [, name, title] = /^## ([A-Z]+): (.+)$/.exec(line) ?? [];
    if (name && title) areas.push({ name, title });
    const [, id, area, text] = /^\| (([A-Z]+)-\d+) \| (.+) \| [^|]* \|$/.exec(line) ?? [];
    if (id && area && text) atoms.push({ id, area, text });
  }
  return { areas, atoms };
}

/** Facts per test. With more, a failure does not tell which fact is violated. */
const maxIdsOfTest = 4;

/** Returns the ids in square brackets in a test file, except in comments: `[CAT-1]`, `[CAT-1, CAT-2]`. */
export function idsOf(source: string): string[] {
  return [...new Set(codeOf(source).flatMap(idsOfLine))];
}

/** Returns lines with too many ids; the formatter keeps a test's name on one line. */
export function crowdedIn(source: string): string[] {
  return codeOf(source)
    .filter((line) => idsOfLine(line).length > maxIdsOfTest)
    .map((line) => line.trim());
}

const codeOf = (source: string) => source.split('\n').filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line));

function idsOfLine(line: string): string[] {
  const groups = line.matchAll(/\[([A-Z]{2,5}-\d+(?:, ?[A-Z]{2,5}-\d+)*)\]/g);
  return [...groups].flatMap(([, ids = '']) => ids.split(/, ?/));
}

/** Reads the test files of the repository, by their paths below `root`. */
export function readTests(root: string): Map<string, string> {
  const files = globSync('{apps,packages,services,scripts,bench,e2e}/**/*.{test,spec}.{ts,tsx}', {
    cwd: root,
    exclude: (path) => path === 'node_modules' || path.endsWith('/node_modules'),
  });
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** @param tests the ids of each test file */
export function compare(markdown: string, tests: ReadonlyMap<string, readonly string[]>): Coverage {
  const { areas, atoms } = readAtoms(markdown);
  const files = new Map<string, string[]>();
  for (const [file, ids] of tests) for (const id of ids) files.set(id, [...(files.get(id) ?? []), file]);
  const known = new Set(atoms.map(({ id }) => id));
  return {
    areas: areas.map(({ name, title }) => {
      const own = atoms.filter(({ area }) => area === name);
      return { name, title, total: own.length, unnamed: own.filter(({ id }) => !files.has(id)) };
    }),
    total: atoms.length,
    named: atoms.filter(({ id }) => files.has(id)).length,
    unknown: [...files].filter(([id]) => !known.has(id)).map(([id, where]) => ({ id, files: where })),
  };
}
