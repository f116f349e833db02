import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const bundled = join(import.meta.dirname, '../../../../../catalogue/offers.json');

/**
 * Writes the bundled offers without welcome credits, for tests that count a user's credits. @returns the path of the
 * file
 */
export async function offersWithoutWelcome(folder: string): Promise<string> {
  const { welcomeCredits: _given, ...sold } = JSON.parse(await readFile(bundled, 'utf8'));
  const file = join(folder, 'offers-without-welcome.json');
  await writeFile(file, JSON.stringify(sold));
  return file;
}
