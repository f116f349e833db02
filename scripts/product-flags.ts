import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageFile = join(import.meta.dirname, '../package.json');

/** The Node flags of `npm start`, for tests and benchmarks that start the product in another way. */
export const productFlags: readonly string[] = z
  .object({ scripts: z.object({ start: z.string() }) })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8')))
  .scripts.start.split(' ')
  .filter((word) => word.startsWith('--'));
if (productFlags.length === 0) throw new Error('npm start passes no flags to Node: this list is no longer needed');
