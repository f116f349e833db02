import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate, setupLambdaEnvironment } from '@sparticuz/chromium';

/**
 * Path of a Chromium that needs nothing of the machine: it comes from npm, with the libraries that it wants.
 * BROWSER_PATH names another one, where that package has none (macOS, arm64).
 */
export async function browserPath(): Promise<string> {
  const own = process.env['BROWSER_PATH'];
  if (own && existsSync(own)) return own;
  const bin = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')));
  setupLambdaEnvironment(join(await inflate(join(bin, 'al2023.tar.br')), 'lib'));
  return chromium.executablePath();
}

/** As root there is no sandbox to be had, and without it no zygote. */
export const browserArguments = ['--no-sandbox', '--no-zygote'];
