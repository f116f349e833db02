import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../config.ts';
import { codeOf } from '../thrown.ts';

const option = '--env-file';

/**
 * Takes `--env-file FILE` (or `--env-file=FILE`, once or more) from the beginning of a command line.
 * @returns the rest of the line, and the variables with the file of each. Variables that are already set override a file, as
 *   with Node's own option, and later files override earlier ones.
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
