import { createHash, hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, readdir, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { pack, type Header, type Pack } from 'tar-stream';
import { syncPath } from '../sync-path.ts';
import { errorOf } from '../thrown.ts';
import { staysInFolder } from './stays-in-folder.ts';
import { endName, headerName, keyName, pieceName, type ArchiveEntry, type ArchiveHeader } from './archive-format.ts';

export type ArchiveParts = {
  header: ArchiveHeader;
  rowsOf(table: ArchiveHeader['tables'][number]): AsyncIterable<{ bytes: Buffer }>;
  /** The parent of the header's folders. */
  dataDir: string;
  /** The master key, if the archive is to contain it. */
  key: string | undefined;
};

/** Writes an archive (tar, zstd), renamed once it is on the disk, so that an interrupted backup leaves none. @returns its size in bytes */
export async function writeArchive(file: string, parts: ArchiveParts): Promise<number> {
  const draft = `${file}.${process.pid}.part`;
  const tar = pack();
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  try {
    // a failure of one side ends the other
    const written = pipeline(tar, compressed, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    const filled = fill(tar, parts).catch((error: unknown) => {
      tar.destroy(errorOf(error));
      throw error;
    });
    await Promise.all([filled, written]);
    await syncPath(draft);
    const { size } = await stat(draft);
    await rename(draft, file);
    await syncPath(dirname(file));
    return size;
  } finally {
    await rm(draft, { force: true });
  }
}

async function fill(tar: Pack, { header, rowsOf, dataDir, key }: ArchiveParts): Promise<void> {
  const entries: ArchiveEntry[] = [];
  const add = async (name: string, bytes: Buffer) => {
    entries.push({ name, bytes: bytes.length, sha256: hash('sha256', bytes) });
    await addEntry(tar, name, bytes);
  };
  await add(headerName, Buffer.from(JSON.stringify(header, null, 2)));
  if (key !== undefined) await add(keyName, Buffer.from(`${key}\n`));
  for (const table of header.tables) {
    let number = 0;
    for await (const { bytes } of rowsOf(table)) await add(pieceName(table.name, (number += 1)), bytes);
  }
  for (const folder of header.folders) await addFolder(tar, dataDir, folder, entries);
  await addEntry(tar, endName, Buffer.from(JSON.stringify({ entries })));
  tar.finalize();
}

/** Begins an entry. `taken` resolves once the archive has all of it. */
function beginEntry(tar: Pack, header: Pick<Header, 'name'> & Partial<Header>) {
  const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
  return { entry: tar.entry(header, (error) => (error ? reject(error) : resolve())), taken };
}

/** Waits until the entry is taken, so that memory stays bounded. */
function addEntry(tar: Pack, name: string, bytes: Buffer): Promise<void> {
  const { entry, taken } = beginEntry(tar, { name, size: bytes.length, mode: 0o600 });
  entry.end(bytes);
  return taken;
}

const filler = Buffer.alloc(64 * 1024);

/** Adds the files and links of a folder. A file that changes meanwhile is read up to its former size. */
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
  const digest = createHash('sha256');
  const { entry, taken } = beginEntry(tar, { name, size, mode: mode & 0o777 });
  const write = async (chunk: Buffer) => {
    digest.update(chunk);
    if (!entry.write(chunk)) await new Promise<void>((drained) => entry.once('drain', () => drained()));
  };
  let left = size;
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1 })) {
      await write(chunk as Buffer);
      left -= (chunk as Buffer).length;
    }
  // the file has become shorter since it was measured
  for (; left > 0; left -= Math.min(left, filler.length)) await write(filler.subarray(0, left));
  entry.end(Buffer.alloc(0));
  await taken;
  return { name, bytes: size, sha256: digest.digest('hex') };
}

/** Adds a link, unless it leaves its folder: a restore refuses such links, and a user's program can create one. */
async function addLink(tar: Pack, dataDir: string, path: string, entries: ArchiveEntry[]): Promise<void> {
  const linkname = await readlink(join(dataDir, path));
  if (!staysInFolder(dataDir, path, linkname)) return;
  const name = `folders/${path}`;
  await beginEntry(tar, { name, type: 'symlink', linkname }).taken;
  entries.push({ name, bytes: 0, sha256: hash('sha256', linkname) });
}
