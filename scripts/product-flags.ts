import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageFile = join(import.meta.dirname, '../package.json');

/** The flags that `npm start` gives Node, for whatever starts the product in another way: what is measured is the product. */
export const productFlags: readonly string[] = z
  .object({ scripts: z.object({ start: z.string() }) })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8')))
  .scripts.start.split(' ')
  .filter((word) => word.startsWith('--'));
if (productFlags.length === 0) throw new Error('npm start gives Node no flags: this list is not needed any more');
