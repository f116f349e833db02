// Runs before `npm start` and `npm test`: installs the lockfile's packages if any are missing, so that no other setup
// is needed. Plain JavaScript for Node 18, no dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPackages, workspaceFolders } from './missing-packages.mjs';
import { findNode, firstNode, nodePackage } from './node-path.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules', '.souk-installed');
const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8');
const wanted = createHash('sha256').update(lockfile).digest('hex');
// the hash is followed by the folders that must exist too
const [stamped, ...folders] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : [];
const installed = stamped === wanted && folders.every((folder) => existsSync(join(root, folder)));

if (!installed && missingPackages(root).length > 0) {
  requireWritable();
  console.log('Installing dependencies (once for each change of package-lock.json) …');
  if (findNode() === undefined) bringNode();
  install();
  writeFileSync(stamp, [wanted, ...workspaceFolders(root)].join('\n'));
  rmSync(firstNode, { recursive: true, force: true }); // now installed with the other packages
}

/**
 * Installs all packages. npm sometimes loses its connections and exits early with code 0 ("Exit handler never called!"), so
 * it may run twice.
 */
function install() {
  const { packages } = JSON.parse(lockfile);
  for (let run = 0; run < 2; run++) {
    // `npm ci` starts with an empty node_modules, because `install` fails on an incomplete one. On a complete one, `install`
    // fetches only changes, even while programs are running. Both apply the lockfile's versions and hashes, and --no-save keeps
    // it unchanged.
    const isWhole = existsSync(join(root, 'node_modules', '.package-lock.json')); // npm writes it last
    npm(isWhole ? ['install', '--no-save'] : ['ci'], root);
    // npm may skip optional packages
    const missing = missingPackages(root).filter((folder) => !packages[folder].optional);
    if (missing.length === 0) return;
    console.error(
      `npm ended without an error but did not install ${missing.length} of the packages, such as ${missing[0]}.`,
    );
  }
  console.error('Check that the npm registry can be reached, then run the command again.');
  process.exit(1);
}

function requireWritable() {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    console.error(
      `Packages are missing, and you may not write to ${root}. Run \`npm run build\` there once as the user who owns it; ` +
        'after that, you can start Souk with DATA_DIR set to a folder of your own.',
    );
    process.exit(1);
  }
}

/**
 * Installs only our Node, in the version and with the hash of the lockfile. npm skips optional packages that do not
 * support the Node on which it runs: on an old one, compilers and other native programs would be missing.
 */
function bringNode() {
  const folder = `node_modules/${nodePackage}`;
  const entry = JSON.parse(lockfile).packages[folder];
  if (!entry) return; // run.mjs then reports what to do
  const project = { name: 'first-node', version: '1.0.0', dependencies: { [nodePackage]: entry.version } };
  const packages = { '': project, [folder]: entry };
  mkdirSync(firstNode, { recursive: true });
  writeFileSync(join(firstNode, 'package.json'), JSON.stringify(project));
  writeFileSync(join(firstNode, 'package-lock.json'), JSON.stringify({ ...project, lockfileVersion: 3, packages }));
  npm(['ci'], firstNode);
}

/** Runs npm with our Node if it exists. Install scripts are disabled, because none are needed and they could do harm. */
function npm(args, cwd) {
  const node = findNode() ?? process.execPath;
  const cli = process.env.npm_execpath ?? '';
  const windows = process.platform === 'win32';
  const [command, first] = basename(cli) === 'npm-cli.js' ? [node, [cli]] : [windows ? 'npm.cmd' : 'npm', []];
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const result = spawnSync(command, [...first, ...args, ...options], { cwd, stdio: 'inherit', env });
  if (result.status === 0) return;
  console.error(
    `npm ${args[0]} failed: see above. Check that the npm registry can be reached and that this folder can be written to, ` +
      'then run the command again.',
  );
  process.exit(result.status ?? 1);
}
