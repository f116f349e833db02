// npm run spec [-- --area CAT]: lists the atoms of docs/spec/atoms.md that no test names, by area.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, idsOf, readTests } from './spec-coverage.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { area: { type: 'string' } } });

const sources = readTests(root);
const tests = new Map([...sources].map(([file, source]) => [file, idsOf(source)]));
const { areas, total, named, unknown } = compare(readFileSync(join(root, 'docs/spec/atoms.md'), 'utf8'), tests);

const shown = areas.filter(({ name }) => values.area === undefined || name === values.area);
if (shown.length === 0) {
  console.error(`Unknown area ${values.area}. Areas: ${areas.map(({ name }) => name).join(', ')}`);
  process.exit(64);
}
for (const { name, title, total: atoms, unnamed } of shown) {
  console.log(`${name}: ${title} (${atoms - unnamed.length} of ${atoms} named)`);
  for (const { id, text } of unnamed) console.log(`  ${id.padEnd(8)} ${text}`);
}
if (values.area === undefined) {
  console.log('\narea    named  unnamed');
  for (const { name, total: atoms, unnamed } of areas) {
    console.log(
      `${name.padEnd(6)} ${String(atoms - unnamed.length).padStart(6)} ${String(unnamed.length).padStart(8)}`,
    );
  }
  console.log(`\n${named} of ${total} atoms are named by ${tests.size} test files; ${total - named} are not.`);
}
for (const { id, files: where } of unknown) console.error(`${where.join(', ')}: docs/spec/atoms.md has no ${id}`);
if (unknown.length > 0) process.exitCode = 1;
