import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ProgramCommand } from '#adapters/mcp/transports/sandbox.ts';
import type { AllowlistEntry } from './stdio-allowlist.ts';

/**
 * Fills in the placeholders of an entry.
 * @param given `personDir`: the folder that this process may write to; `secrets`: the values of the entry's secrets;
 *   `program`: folder and file of the installed package of an `npm` entry
 * @throws UpstreamError not_set_up when a package is not installed
 */
export function expandCommand(
  entry: AllowlistEntry,
  given: { personDir: string; secrets: Record<string, string>; program?: { folder: string; file: string } | undefined },
): ProgramCommand {
  const { personDir, program } = given;
  const packages = new Set<string>(program && [program.folder]);
  const expand = (text: string) =>
    text
      .replaceAll('{node}', process.execPath)
      .replaceAll('{personDir}', personDir)
      .replaceAll(/\{package:((?:@[^/}]+\/)?[^/}]+)\/([^}]+)\}/g, (_match, name: string, file: string) => {
        const folder = packageFolder(name);
        packages.add(folder.slice(0, -name.length - 1));
        return join(folder, file);
      });
  const start = program ? [process.execPath, program.file, ...(entry.args ?? [])] : (entry.argv ?? []);
  const [command, ...rest] = start.map(expand);
  if (command === undefined) throw new Error('an allow-list entry without a program');
  return {
    argv: [command, ...rest],
    cwd: personDir,
    // The broker's own environment is not passed on: it may contain keys, and a tool may print its environment.
    env: {
      // a program may start others; the sandbox has the system's folders
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: personDir,
      LANG: 'C.UTF-8',
      NODE_ENV: 'production',
      ...Object.fromEntries(Object.entries(entry.env).map(([name, value]) => [name, expand(value)])),
      ...given.secrets,
    },
    reads: [process.execPath, ...packages, ...entry.reads.map(expand)],
    network: entry.network,
  };
}

const require = createRequire(import.meta.url);

/** Returns the folder of an installed package, even if its exports hide its package.json. */
function packageFolder(name: string): string {
  for (const base of require.resolve.paths(name) ?? []) {
    const folder = join(base, name);
    try {
      readFileSync(join(folder, 'package.json'));
      return folder;
    } catch {
      continue;
    }
  }
  throw new UpstreamError('not_set_up', `the package ${name} of the allow-list is not installed`);
}
