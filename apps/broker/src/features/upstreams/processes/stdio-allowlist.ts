import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { ProgramCommand } from '#adapters/mcp/transports/sandbox.ts';

/**
 * The operator's allow-list: alias -> how to start it. It is a file on disk and never set over the web, since starting a
 * program means trusting it (security.md, Boundaries).
 * `reads` names what the program reads besides the system's folders, this Node and its packages: the sandbox contains
 * nothing else.
 * Placeholders: {node} this Node, {package:name/file} a file of an installed package, {personDir} the person's own folder.
 */
const allowlistSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  z.strictObject({
    argv: z.array(z.string()).min(1),
    env: z.record(z.string(), z.string()).default({}),
    reads: z.array(z.string()).default([]),
  }),
);

export type StdioAllowlist = z.output<typeof allowlistSchema>;

/** @throws Error with the file's name when it cannot be read or does not match the schema above */
export function readStdioAllowlist(path: string): StdioAllowlist {
  try {
    return allowlistSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(
      `The allow-list ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Fills the placeholders. `personDir` is the folder that this process may write to. */
export function expandCommand(entry: StdioAllowlist[string], personDir: string): ProgramCommand {
  const packages = new Set<string>();
  const expand = (text: string) =>
    text
      .replaceAll('{node}', process.execPath)
      .replaceAll('{personDir}', personDir)
      .replaceAll(/\{package:((?:@[^/}]+\/)?[^/}]+)\/([^}]+)\}/g, (_match, name: string, file: string) => {
        const folder = packageFolder(name);
        packages.add(folder.slice(0, -name.length - 1));
        return join(folder, file);
      });
  const [program, ...rest] = entry.argv.map(expand);
  if (program === undefined) throw new Error('an allow-list entry without a program');
  return {
    argv: [program, ...rest],
    cwd: personDir,
    // Nothing from the broker's own environment: it may contain keys, and a tool may print its environment.
    env: {
      PATH: dirname(process.execPath),
      HOME: personDir,
      LANG: 'C.UTF-8',
      NODE_ENV: 'production',
      ...Object.fromEntries(Object.entries(entry.env).map(([name, value]) => [name, expand(value)])),
    },
    reads: [process.execPath, ...packages, ...entry.reads.map(expand)],
  };
}

const require = createRequire(import.meta.url);

/** Folder of an installed package, also of one whose exports hide its package.json. */
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
  throw new Error(`the package ${name} of the allow-list is not installed`);
}
