import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, open, readdir, readlink, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { staysInFolder } from './stays-in-folder.ts';
import { endName, headerName, keyName, pieceName, type ArchiveEntry, type ArchiveHeader } from './archive-format.ts';

export type ArchiveParts = {
  header: ArchiveHeader;
  /** The rows of each table, in the order of the header. */
  rowsOf(table: ArchiveHeader['tables'][number]): AsyncIterable<{ bytes: Buffer }>;
  /** The folder that the header's folders are in. */
  dataDir: string;
  /** The master key, where the archive is to bring it. */
  key: string | undefined;
};

/**
 * Writes an archive (tar, zstd). It has its name only once all of it is on the disk: a backup that was broken off leaves none.
 * @returns its size in bytes
 */
export async function writeArchive(file: string, parts: ArchiveParts): Promise<number> {
  const draft = `${file}.${process.pid}.part`;
  const tar = pack();
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  try {
    // what fails on one side ends the other
    const written = pipeline(tar, compressed, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    const filled = fill(tar, parts).catch((error: unknown) => {
      tar.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    await Promise.all([filled, written]);
    const size = await sync(draft);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return size;
  } finally {
    await rm(draft, { force: true });
  }
}

async function fill(tar: Pack, { header, rowsOf, dataDir, key }: ArchiveParts): Promise<void> {
  const entries: ArchiveEntry[] = [];
  const add = async (name: string, bytes: Buffer) => {
    entries.push({ name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    await addEntry(tar, { name, size: bytes.length, mode: 0o600 }, bytes);
  };
  await add(headerName, Buffer.from(JSON.stringify(header, null, 2)));
  if (key !== undefined) await add(keyName, Buffer.from(`${key}\n`));
  for (const table of header.tables) {
    let number = 0;
    for await (const { bytes } of rowsOf(table)) await add(pieceName(table.name, (number += 1)), bytes);
  }
  for (const folder of header.folders) await addFolder(tar, dataDir, folder, entries);
  await addEntry(tar, { name: endName, size: 0, mode: 0o600 }, Buffer.from(JSON.stringify({ entries })));
  tar.finalize();
}

/** Waits until the entry was taken, so that what is under way stays bounded. */
function addEntry(tar: Pack, header: { name: string; size: number; mode: number }, bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const entry = tar.entry({ ...header, size: bytes.length }, (error) => (error ? reject(error) : resolve()));
  entry.end(bytes);
  return promise;
}

const filler = Buffer.alloc(64 * 1024);

/** Files and links of a folder, without what is neither. A file that changes meanwhile is read up to the size that it had. */
async function addFolder(tar: Pack, dataDir: string, path: string, entries: ArchiveEntry[]): Promise<void> {
  for (const { name } of await readdir(join(dataDir, path), { withFileTypes: true })) {
    const inner = `${path}/${name}`;
    const found = await lstat(join(dataDir, inner)).catch(() => undefined);
    if (found?.isDirectory()) await addFolder(tar, dataDir, inner, entries);
    else if (found?.isFile()) entries.push(await addFile(tar, join(dataDir, inner), `folders/${inner}`, found));
    else if (found?.isSymbolicLink()) await addLink(tar, dataDir, inner, entries);
  }
}

async function addFile(
  tar: Pack,
  path: string,
  name: string,
  { size, mode }: { size: number; mode: number },
): Promise<ArchiveEntry> {
  const hash = createHash('sha256');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const entry = tar.entry({ name, size, mode: mode & 0o777 }, (error) => (error ? reject(error) : resolve()));
  const write = async (chunk: Buffer) => {
    hash.update(chunk);
    if (!entry.write(chunk)) await new Promise<void>((drained) => entry.once('drain', () => drained()));
  };
  let left = size;
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1 })) {
      await write(chunk as Buffer);
      left -= (chunk as Buffer).length;
    }
  // it has become shorter since it was measured
  for (; left > 0; left -= Math.min(left, filler.length)) await write(filler.subarray(0, left));
  entry.end(Buffer.alloc(0));
  await promise;
  return { name, bytes: size, sha256: hash.digest('hex') };
}

/** A link that leaves its folder is left out: a restore refuses it, and a person's program can make one. */
async function addLink(tar: Pack, dataDir: string, path: string, entries: ArchiveEntry[]): Promise<void> {
  const linkname = await readlink(join(dataDir, path));
  if (!staysInFolder(dataDir, path, linkname)) return;
  const name = `folders/${path}`;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  tar.entry({ name, type: 'symlink', linkname }, (error) => (error ? reject(error) : resolve()));
  await promise;
  entries.push({ name, bytes: 0, sha256: createHash('sha256').update(linkname).digest('hex') });
}

async function sync(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
