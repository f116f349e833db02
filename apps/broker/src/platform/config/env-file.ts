import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../config.ts';
import { codeOf } from '../thrown.ts';

const option = '--env-file';

/**
 * Takes `--env-file FILE` (or `--env-file=FILE`, also several) from the beginning of a command line.
 * @returns what follows it, and the variables: those that are set already count more than those of a file, as with Node's own
 *   option, and those of a later file more than those of an earlier one; and the file of each that comes from one
 * @throws ConfigError for a file that cannot be read
 */
export function readEnvFiles(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): { argv: string[]; environment: NodeJS.ProcessEnv; files: ReadonlyMap<string, string> } {
  const rest = [...argv];
  const fromFiles: NodeJS.ProcessEnv = {};
  const files = new Map<string, string>();
  while (rest[0]?.split('=', 1)[0] === option) {
    const [, ofEquals] = rest.shift()?.split(/=(.*)/s) ?? [];
    const path = ofEquals ?? rest.shift();
    for (const [name, value] of Object.entries(readFile(path))) {
      fromFiles[name] = value;
      if (environment[name] === undefined) files.set(name, String(path));
    }
  }
  return { argv: rest, environment: { ...fromFiles, ...environment }, files };
}

function readFile(path: string | undefined): NodeJS.ProcessEnv {
  if (path === undefined || path === '') throw new ConfigError([`${option} needs the path of a file`]);
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`${option}: ${path} cannot be read (${codeOf(error) ?? String(error)})`]);
  }
}
