import type { CliOptions } from '../command.ts';
import { runCli } from '../run-cli.ts';

/**
 * Runs a command as a terminal does: returns its exit code, and what it wrote to standard output and standard error.
 */
export async function runSouk(argv: readonly string[], options: Pick<CliOptions, 'environment'> & Partial<CliOptions>) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(argv, {
    stdout: (line) => out.push(line),
    stderr: (line) => err.push(line),
    ...options,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
