// npm run prove -- <name>: checks one invariant at full size, with the test that `npm test` runs in a short form.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { proofs, type Proof } from './proofs.ts';

/** EX_USAGE of sysexits.h. */
const exitUsage = 64;
const longestTestMs = 60 * 60_000;

const root = join(import.meta.dirname, '..');
const [name = ''] = process.argv.slice(2);
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
if (proof) process.exitCode = await run(name, proof);
else {
  if (name !== '') console.error(`There is no proof ${JSON.stringify(name)}.`);
  console.error('npm run prove -- <name>\n');
  for (const [known, { description }] of Object.entries(proofs)) console.error(`  ${known.padEnd(14)}${description}`);
  process.exitCode = exitUsage;
}

/** @returns the exit code: 0 if its tests ran and passed */
async function run(what: string, { project, file, test }: Proof): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'souk-prove-'));
  const report = join(folder, 'report.json');
  const pattern = test.replaceAll(/[[\]]/g, String.raw`\$&`);
  const args = ['--project', project, file, '-t', pattern, `--testTimeout=${longestTestMs}`];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...reporters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PROOF_SIZE: 'full' },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const ended = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  const passed = ended === 0 ? passedIn(report) : 0;
  rmSync(folder, { recursive: true });
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${what}: ${passed > 0 ? 'holds' : 'NOT PROVED'} (${seconds} s)`);
  return passed > 0 ? 0 : 1;
}

/** Counts the tests that passed: a pattern that matches no test proves nothing. */
function passedIn(report: string): number {
  return z.object({ numPassedTests: z.number() }).parse(JSON.parse(readFileSync(report, 'utf8'))).numPassedTests;
}
