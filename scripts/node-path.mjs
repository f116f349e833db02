// Finds a Node that runs TypeScript directly (>= 24): the machine's own if it is new enough, otherwise the one that npm
// installed with the dependencies. Plain JavaScript for Node 18, because an old Node runs this file.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const wantedMajor = 24;

/** @returns {string} path of a Node binary >= 24; throws an Error that says what to do if there is none. */
export function nodePath() {
  if (Number(process.versions.node.split('.')[0]) >= wantedMajor) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // not installed: the message below says what to do
  }
  throw new Error(
    `Souk needs Node ${wantedMajor} or newer. This is Node ${process.versions.node}, and npm has no package ${name} here. ` +
      `Install Node ${wantedMajor} and run the command again.`,
  );
}
