import { accessSync, constants, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expandCommand, type StdioAllowlist } from '#features/upstreams/index.ts';
import { readInstallation } from '../../../installation.ts';
import { paths, type Paths } from '../../../paths.ts';
import type { ConfigCheck } from './config-checks.ts';

/** These programs run a file that their first argument names. */
const interpreters = /^(?:node|bun|deno|tsx|python[\d.]*|ruby|perl|php|bash|sh)$/;

/**
 * Warns of programs of the allow-list that are not on this machine. The broker starts all the same: their servers have the
 * status error.
 */
export const checkPrograms =
  (files: Paths = paths): ConfigCheck =>
  async (config, { warn }) => {
    let allowlist: StdioAllowlist;
    try {
      ({ allowlist } = readInstallation(config, files));
    } catch {
      return []; // what is wrong with the list is told by the check of manifests
    }
    const list = config.stdioAllowlist ?? files.stdioAllowlist;
    for (const [alias, entry] of Object.entries(allowlist)) {
      for (const missing of missingOf(entry)) warn(`the program ${alias} of the allow-list ${list}: ${missing}`);
    }
    return [];
  };

function missingOf(entry: StdioAllowlist[string]): string[] {
  const nowhere = { personDir: '/', secrets: {} };
  try {
    // the place of a package is known at its start alone
    const program = entry.npm === undefined ? undefined : { folder: '/', file: '/' };
    const { argv, env, reads } = expandCommand(entry, { ...nowhere, program });
    const own = reads.filter((path) => path !== process.execPath && !existsSync(path));
    return [
      ...(program ? [] : commandProblems(argv, env['PATH'] ?? '')),
      ...own.map((path) => `"reads" names ${path}, which is not there`),
    ];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function commandProblems([command = '', ...rest]: readonly string[], path: string): string[] {
  if (!command.includes('/')) {
    if (path.split(':').some((folder) => isExecutable(join(folder, command)))) return fileProblems(command, rest);
    return [`the command ${command} is in none of ${path.replaceAll(':', ', ')}`];
  }
  if (!existsSync(command)) return [`${command} is not there`];
  if (!isExecutable(command)) return [`${command} cannot be executed by this user`];
  return fileProblems(command, rest);
}

/** The file that an interpreter is told to run. */
function fileProblems(command: string, rest: readonly string[]): string[] {
  const file = interpreters.test(basename(command)) ? rest.find((text) => !text.startsWith('-')) : undefined;
  return file?.startsWith('/') && !existsSync(file) ? [`${file} is not there`] : [];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
