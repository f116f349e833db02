import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofs } from './proofs.ts';

const root = join(import.meta.dirname, '..');
const prove = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/prove.ts'), ...args], { encoding: 'utf8' });

test.each(Object.entries(proofs))('[CFG-22] npm run prove -- %s runs a test that has a full size', (_, proof) => {
  for (const file of proof.files) {
    const source = readFileSync(join(root, file), 'utf8');
    expect(source.replaceAll(/\(\s+/g, '(')).toContain(`('${proof.test} `);
    expect(proof.isAlwaysWhole === true || /atFullSize|sampled\(/.test(source), file).toBe(true);
  }
});

test('an unknown name is refused with a list of the proofs', () => {
  for (const name of ['nonsense', 'constructor']) {
    const unknown = prove(name);
    expect(unknown.status).toBe(64);
    expect(unknown.stderr).toContain(`There is no proof "${name}"`);
    for (const known of Object.keys(proofs)) expect(unknown.stderr).toContain(known);
  }
});

test('a successful proof writes its row, with its measurements', () => {
  const folder = mkdtempSync(join(tmpdir(), 'souk-proof-'));
  try {
    const page = join(folder, 'reliability.md');
    const held = prove('I10', '--to', page);
    expect(held, `${held.stdout}${held.stderr}`).toMatchObject({ status: 0 });
    expect(held.stdout).toMatch(/^I10: holds \(\d+ s\)$/m);
    const row = readFileSync(page, 'utf8')
      .split('\n')
      .find((line) => line.startsWith('| I10 '));
    expect(row).toMatch(
      /\| 1 call of 2 s under way: answered; \d+ processes, 0 left; exit code 0 +\| \d+ cores [^|]* \| \d{4}-\d\d-\d\d \| \w+\+? /,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
