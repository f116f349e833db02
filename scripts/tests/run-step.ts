import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { countProcessorTime } from './processor-time.ts';
import { readReport, reportVariable, type RunReport } from './run-report.ts';
import type { Step } from './steps.ts';

export type Outcome = {
  name: string;
  ok: boolean;
  seconds: number;
  /** Processor time of all its processes; undefined if unavailable. */
  processorSeconds: number | undefined;
  report: RunReport | undefined;
};

export type Shown = 'live' | 'at the end' | 'if it fails' | 'never';

/** `reports`: folder of our reporters' output. */
export type Folders = { root: string; reports: string };

/** Runs a step of `npm test` in its own process, which ends with ours. */
export function runStep({ name, args }: Step, { root, reports, shown }: Folders & { shown: Shown }): Promise<Outcome> {
  const begun = performance.now();
  const [program = '', ...rest] = args;
  const reportPath = join(reports, `${name}.json`);
  rmSync(reportPath, { force: true });
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...rest], {
    cwd: root,
    stdio: shown === 'live' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [reportVariable]: reportPath },
  });
  const end = () => child.kill();
  process.once('exit', end);
  const processorSeconds = child.pid === undefined ? () => undefined : countProcessorTime(child.pid);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    const finish = (ok: boolean) => {
      process.off('exit', end);
      if (shown === 'at the end' || (shown === 'if it fails' && !ok)) {
        const text = Buffer.concat(output).toString('utf8').trimEnd();
        console.log(`\n${name} ${ok ? 'passed' : 'failed'}:\n${text}\n`);
      }
      const seconds = (performance.now() - begun) / 1000;
      resolve({ name, ok, seconds, processorSeconds: processorSeconds(), report: readReport(reportPath) });
    };
    child.on('error', (error) => {
      output.push(Buffer.from(error.message));
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}
