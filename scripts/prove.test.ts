import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofs } from './proofs.ts';

const root = join(import.meta.dirname, '..');
const prove = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/prove.ts'), ...args], { encoding: 'utf8' });

test.each(Object.entries(proofs))('the proof %s names a test that exists, and that has a full size', (_, proof) => {
  const source = readFileSync(join(root, proof.file), 'utf8');
  expect(source).toContain(`test('${proof.test} `);
  expect(source).toContain('atFullSize');
});

test('a name that is none lists the proofs, and an invariant without a proof says so', () => {
  const unknown = prove('nonsense');
  expect(unknown.status).toBe(64);
  for (const name of Object.keys(proofs)) expect(unknown.stderr).toContain(name);
  const later = prove('I3');
  expect(later).toMatchObject({ status: 1, stderr: expect.stringContaining('not implemented yet') });
});
