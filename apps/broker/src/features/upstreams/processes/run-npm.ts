import { spawn } from 'node:child_process';
import { whenStarted } from '#platform/when-started.ts';

const timeoutMs = 5 * 60_000;
const shownLines = 5;
const shownChars = 4000;
/** The proxy's variables in capitals only: the configuration sets these. */
const ownProxy = /^(?:HTTPS?|NO)_PROXY$/;
const ownSettings = /^(?:PATH|HOME|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|NPM_CONFIG_.{1,64})$/i;
// No installed code runs before the program starts, and all packages come from the registry: npm reads no other address
// and no folder. Older versions of npm ignore --allow-….
const options =
  '--ignore-scripts --git=/bin/false --allow-git=none --allow-remote=none --allow-file=none --allow-directory=none --omit=dev --no-audit --no-fund --no-update-notifier --loglevel=error';

/**
 * Runs npm in a folder with a package.json.
 * @param how `install`; `ci`, which installs exactly what package-lock.json lists; or `lock`, which only writes that
 *   file
 * @throws Error with npm's last lines
 */
export async function runNpm(
  how: 'install' | 'ci' | 'lock',
  given: { folder: string; cache: string; environment: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<void> {
  const { folder, cache, environment, signal } = given;
  const places = ['--omit-lockfile-registry-resolved', `--prefix=${folder}`, `--cache=${cache}`];
  const env = Object.fromEntries(
    Object.entries(environment).filter(([name]) => ownSettings.test(name) || ownProxy.test(name)),
  );
  const asked = how === 'lock' ? ['install', '--package-lock-only'] : [how];
  const child = spawn('npm', [...asked, ...options.split(' '), ...places], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    killSignal: 'SIGKILL',
  });
  await whenStarted(child);
  let output = '';
  const append = (text: string) => (output = (output + text).slice(-shownChars));
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  const lines = output.split('\n').map((line) => line.trim());
  throw new Error(
    lines
      .filter((line) => line !== '')
      .slice(-shownLines)
      .join(' | ') || `npm ended with ${code}`,
  );
}
