import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate, setupLambdaEnvironment } from '@sparticuz/chromium';

/**
 * Returns the path of a Chromium from npm that includes its libraries. Set BROWSER_PATH if the package has none (macOS,
 * arm64).
 */
export async function browserPath(): Promise<string> {
  Object.assign(process.env, chromiumVariables);
  const own = process.env['BROWSER_PATH'];
  if (own && existsSync(own)) return own;
  const bin = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')));
  setupLambdaEnvironment(join(await inflate(join(bin, 'al2023.tar.br')), 'lib'));
  return chromium.executablePath();
}

/**
 * Variables that Chromium sets itself, to the same values, after its threads have started. A new variable moves the list of
 * all variables, and a thread that reads the list meanwhile crashes (glibc before 2.41): about one of 500 launches in a full
 * run.
 */
const chromiumVariables = { DBUS_SESSION_BUS_ADDRESS: 'disabled:', FC_FONTATIONS: '1', VK_ICD_FILENAMES: '' };

/** Arguments for every launch. Chromium has no sandbox as root. Its zygote stays, otherwise every page starts the whole program. */
export const browserArguments = ['--no-sandbox'];

/**
 * Arguments for journeys, which have no screen: one thread draws the pages, without a process for a graphics card. The
 * pictures are the same.
 */
export const journeyArguments = [...browserArguments, '--disable-gpu', '--in-process-gpu', '--num-raster-threads=1'];

/**
 * Unneeded arguments of Playwright. For containers with 64 MB of shared memory it puts the shared data of Chromium's processes
 * into files; memory takes a third less of the system's time.
 */
export const unneededArguments = sharedBytes() > 2 ** 30 ? ['--disable-dev-shm-usage'] : [];

/** Returns the free bytes of the memory that processes share. */
function sharedBytes(): number {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize;
  } catch {
    return 0;
  }
}
