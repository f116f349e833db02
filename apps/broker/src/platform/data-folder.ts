import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './config.ts';
import { codeOf } from './thrown.ts';

/**
 * Says why the broker cannot keep its data in this folder, which need not exist yet; undefined if it can. Creates nothing.
 * @param dataDir an absolute path
 */
export function dataFolderProblem(dataDir: string): string | undefined {
  const [folder] = missingOf(dataDir);
  const existing = folder === undefined ? dataDir : dirname(folder);
  if (!statSync(existing).isDirectory()) return problem(dataDir, `${existing} is not a folder`);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return problem(dataDir, `cannot write to ${existing} (${codeOf(error) ?? String(error)})`);
  }
}

/** Creates the data folder and the folders above it, readable by the owner only. @throws ConfigError that names DATA_DIR */
export function makeDataFolder(dataDir: string): void {
  const found = dataFolderProblem(dataDir);
  if (found !== undefined) throw new ConfigError([found]);
  // one by one, because Node's recursive option never returns below /proc
  for (const folder of missingOf(dataDir)) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw new ConfigError([problem(dataDir, `cannot create ${folder} (${codeOf(error) ?? String(error)})`)]);
    }
  }
}

/** Returns the missing folders of a path, the highest first. */
function missingOf(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [...missingOf(dirname(path)), path];
}

function problem(dataDir: string, what: string): string {
  return `DATA_DIR: ${what}. Set DATA_DIR, now ${dataDir}, to a folder that the broker may write to`;
}
