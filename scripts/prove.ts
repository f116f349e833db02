// npm run prove -- <name>: checks an invariant at full size, with the test that `npm test` runs in a short form, and writes its
// figures into docs/reliability.md, or into the file after --to.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { commitOf } from '../bench/commit-of.ts';
import { describeMachine } from '../bench/machine.ts';
import { proofs, type Proof } from './proofs.ts';
import { reliabilityPage } from './reliability-page.ts';

/** EX_USAGE of sysexits.h. */
const exitUsage = 64;
const longestTestMs = 60 * 60_000;

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: join(root, 'docs/reliability.md') } },
  allowPositionals: true,
});
const [name = ''] = positionals;
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
if (proof) process.exitCode = await run(name, proof, values.to);
else {
  if (name !== '') console.error(`There is no proof ${JSON.stringify(name)}.`);
  console.error('npm run prove -- <name>\n');
  for (const [known, { description }] of Object.entries(proofs)) console.error(`  ${known.padEnd(14)}${description}`);
  process.exitCode = exitUsage;
}

/** @returns the exit code: 0 if its tests ran and passed */
async function run(what: string, { project, files, test, description }: Proof, to: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'souk-prove-'));
  const report = join(folder, 'report.json');
  const figuresFile = join(folder, 'figures');
  const pattern = test.replaceAll(/[[\]]/g, String.raw`\$&`);
  const args = ['--project', project, ...files, '-t', pattern, `--testTimeout=${longestTestMs}`];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...reporters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PROOF_SIZE: 'full', PROOF_FIGURES: figuresFile },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const ended = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  const passed = ended === 0 ? passedIn(report) : 0;
  const figures = existsSync(figuresFile) ? readFileSync(figuresFile, 'utf8').trimEnd().split('\n') : [];
  rmSync(folder, { recursive: true });
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${what}: ${passed > 0 ? 'holds' : 'NOT PROVED'} (${seconds} s)`);
  if (passed === 0) return 1;
  const { node, platform, cpu, cores } = describeMachine();
  const measured = {
    proof: what,
    holds: description,
    figures,
    machine: `${cores} cores (${cpu}), ${platform}, Node ${node.slice(1)}`,
    date: new Date().toISOString().slice(0, 10),
    commit: commitOf(root, ['docs/reliability.md']),
  };
  const page = existsSync(to) ? readFileSync(to, 'utf8') : undefined;
  writeFileSync(to, reliabilityPage(page, proofs, measured));
  return 0;
}

/** Counts the tests that passed: a pattern that matches no test proves nothing. */
function passedIn(report: string): number {
  return z.object({ numPassedTests: z.number() }).parse(JSON.parse(readFileSync(report, 'utf8'))).numPassedTests;
}
