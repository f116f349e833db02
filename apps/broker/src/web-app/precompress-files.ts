import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** Images and fonts of the web app are already compressed. */
const compressible = /\.(js|css|svg|json|txt)$/;
const leastBytes = 1024;

/**
 * Writes `name.br` and `name.gz` next to each text file of a folder. Uses the best quality, since this happens once at build
 * time.
 */
export async function precompressFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => compressible.test(name));
  await Promise.all(names.map((name) => precompress(join(folder, name))));
}

async function precompress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.length < leastBytes) return;
  // zlib's own defaults for brotli: quality 11, window 22
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
}
