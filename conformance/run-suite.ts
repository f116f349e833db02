import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');

export type ScenarioResult = {
  scenario: string;
  passed: number;
  failed: number;
  warnings: number;
  /** Reason why the suite does not score the scenario. */
  notScored: string | undefined;
};

export type SuiteVerdict = { ok: boolean; scenarios: ScenarioResult[]; output: string };

/** Runs one leg of the official suite with a requirement set. `ok` is the suite's verdict on the scored scenarios. */
export async function runSuite(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<SuiteVerdict> {
  const results = await mkdtemp(join(tmpdir(), 'souk-conformance-results-'));
  const child = spawn(process.execPath, [suite, ...args, '--output-dir', results], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  await rm(results, { recursive: true, force: true });
  return { ok: code === 0, scenarios: readSummary(stdout), output: stderr + stdout };
}

function readSummary(stdout: string): ScenarioResult[] {
  const notScored = new Map([...stdout.matchAll(/^ {2}[✓✗] (\S+) \((.+)\)$/gm)].map(([, name, why]) => [name, why]));
  return [...stdout.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?/gm)].map(
    ([, scenario = '', passed, failed, warnings = '0']) => ({
      scenario,
      passed: Number(passed),
      failed: Number(failed),
      warnings: Number(warnings),
      notScored: notScored.get(scenario),
    }),
  );
}
