// Runs before `npm start` and `npm test`: installs what the lockfile names when it is not there yet, so that two commands
// are all the set-up there is. Plain JavaScript for Node 18, no dependencies.
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
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const result = spawnSync(npm, ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (result.status !== 0) {
    console.error(
      'npm install failed: see above. Check that the npm registry can be reached, then run the command again.',
    );
    process.exit(result.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
