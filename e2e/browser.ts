import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate, setupLambdaEnvironment } from '@sparticuz/chromium';

/**
 * Path of a Chromium from npm that includes its libraries and needs nothing installed. Set BROWSER_PATH where the package
 * has none (macOS, arm64).
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
 * What Chromium sets itself after its threads have started, to the same values. A variable that is new moves the list of
 * all, and a thread that reads the list meanwhile crashes (glibc before 2.41): about one of 500 launches in a full run.
 */
const chromiumVariables = { DBUS_SESSION_BUS_ADDRESS: 'disabled:', FC_FONTATIONS: '1', VK_ICD_FILENAMES: '' };

/** Chromium has no sandbox as root. Its zygote stays: without it every page starts the whole program again. */
export const browserArguments = ['--no-sandbox'];

/**
 * For journeys, which have no screen: pages are drawn without a process for a graphics card, and by one thread. The pictures
 * are the same.
 */
export const journeyArguments = [...browserArguments, '--disable-gpu', '--in-process-gpu', '--num-raster-threads=1'];

/**
 * Playwright's own arguments that are not needed. It keeps what Chromium's processes share in files on the disk, for
 * containers with 64 MB of shared memory; memory takes a third less of the system's time.
 */
export const unneededArguments = sharedBytes() > 2 ** 30 ? ['--disable-dev-shm-usage'] : [];

/** What is free of the memory that processes share. */
function sharedBytes(): number {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize;
  } catch {
    return 0;
  }
}
