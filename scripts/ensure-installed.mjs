// Runs before `npm start` and `npm test`: installs the lockfile's packages if they are missing, so that no other set-up
// is needed. Plain JavaScript for Node 18, no dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules', '.souk-installed');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing dependencies (once for each change of package-lock.json) …');
  // Install scripts are not needed by anything here, and what does not run cannot harm. `install` rather than `ci`: npm ci
  // refuses a lockfile without every platform's optional packages, and not every registry has them all; the versions and
  // hashes of the lockfile hold either way, and --no-save leaves it as it is.
  // Only errors are shown: on Node 20 npm warns of every package that names a newer one (EBADENGINE), which is no fault
  // here, since what needs Node 24 runs on one that is installed with the rest (node-path.mjs).
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const result = spawnSync(npm, ['install', ...options], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) {
    console.error(
      'npm install failed: see above. Check that the npm registry can be reached, then run the command again.',
    );
    process.exit(result.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
