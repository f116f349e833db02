import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate, setupLambdaEnvironment } from '@sparticuz/chromium';

/**
 * Path of a Chromium from npm that includes its libraries and needs nothing installed. Set BROWSER_PATH where the package
 * has none (macOS, arm64).
 */
export async function browserPath(): Promise<string> {
  const own = process.env['BROWSER_PATH'];
  if (own && existsSync(own)) return own;
  const bin = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')));
  setupLambdaEnvironment(join(await inflate(join(bin, 'al2023.tar.br')), 'lib'));
  return chromium.executablePath();
}

/** Chromium has no sandbox as root. Its zygote stays: without it every page starts the whole program again. */
export const browserArguments = ['--no-sandbox'];
