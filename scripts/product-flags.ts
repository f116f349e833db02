import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageFile = z.object({ scripts: z.object({ start: z.string() }) });

/** Returns the Node flags of a checkout's `npm start`, which differ between versions. */
export function startFlags(checkout: string): string[] {
  const text = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { start } = packageFile.parse(JSON.parse(text)).scripts;
  return start.split(' ').filter((word) => word.startsWith('--') && word !== '--');
}

/** Flags of this checkout, for tests and benchmarks that start the product differently. */
export const productFlags: readonly string[] = startFlags(join(import.meta.dirname, '..'));
if (productFlags.length === 0)
  throw new Error('npm start passes no flags to Node, so productFlags is no longer needed');
