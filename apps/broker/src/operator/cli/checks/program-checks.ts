import { accessSync, constants, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expandCommand, type StdioAllowlist } from '#features/upstreams/index.ts';
import { messageOf } from '#platform/thrown.ts';
import { readInstallation } from '../../../installation.ts';
import { paths, type Paths } from '../../../paths.ts';
import type { ConfigCheck } from './config-checks.ts';

/** Programs that run the file of their first argument. */
const interpreters = /^(?:node|bun|deno|tsx|python[\d.]*|ruby|perl|php|bash|sh)$/;

/**
 * Warns of programs of the allow-list that are missing on this machine. The broker starts without them: their servers have
 * the status error.
 */
export const checkPrograms =
  (files: Paths = paths): ConfigCheck =>
  async (config, { warn }) => {
    let allowlist: StdioAllowlist;
    try {
      ({ allowlist } = readInstallation(config, files));
    } catch {
      return []; // the check of manifests reports an invalid list
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
    // the path of a package is only known when it starts
    const program = entry.npm === undefined ? undefined : { folder: '/', file: '/' };
    const { argv, env, reads } = expandCommand(entry, { ...nowhere, program });
    const own = reads.filter((path) => path !== process.execPath && !existsSync(path));
    return [
      ...(program ? [] : commandProblems(argv, env['PATH'] ?? '')),
      ...own.map((path) => `"reads" names ${path}, which does not exist`),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

function commandProblems([command = '', ...rest]: readonly string[], path: string): string[] {
  if (!command.includes('/')) {
    if (path.split(':').some((folder) => isExecutable(join(folder, command)))) return fileProblems(command, rest);
    return [`the command ${command} is in none of ${path.replaceAll(':', ', ')}`];
  }
  if (!existsSync(command)) return [`${command} does not exist`];
  if (!isExecutable(command)) return [`${command} cannot be executed by this user`];
  return fileProblems(command, rest);
}

/** Checks the file that an interpreter runs. */
function fileProblems(command: string, rest: readonly string[]): string[] {
  const file = interpreters.test(basename(command)) ? rest.find((text) => !text.startsWith('-')) : undefined;
  return file?.startsWith('/') && !existsSync(file) ? [`${file} does not exist`] : [];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
