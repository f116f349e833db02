import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageFile = z.object({ scripts: z.object({ start: z.string() }) });

/** The flags that `npm start` of a checkout passes to Node: an earlier one may pass others than this one, which passes none. */
export function startFlags(checkout: string): string[] {
  const text = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { start } = packageFile.parse(JSON.parse(text)).scripts;
  return start.split(' ').filter((word) => word.startsWith('--'));
}
