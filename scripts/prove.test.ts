import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofs } from './proofs.ts';

const root = join(import.meta.dirname, '..');
const prove = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/prove.ts'), ...args], { encoding: 'utf8' });

test.each(Object.entries(proofs))('the proof %s names an existing test that has a full size', (_, proof) => {
  const source = readFileSync(join(root, proof.file), 'utf8');
  expect(source).toContain(`test('${proof.test} `);
  expect(source).toContain('atFullSize');
});

test('an unknown name is refused with a list of the proofs', () => {
  for (const name of ['nonsense', 'constructor']) {
    const unknown = prove(name);
    expect(unknown.status).toBe(64);
    expect(unknown.stderr).toContain(`There is no proof "${name}"`);
    for (const known of Object.keys(proofs)) expect(unknown.stderr).toContain(known);
  }
});
