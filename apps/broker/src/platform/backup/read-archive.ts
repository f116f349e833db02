import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdDecompress } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { z } from 'zod';
import {
  ArchiveDamagedError,
  archiveFormat,
  endName,
  endSchema,
  headerName,
  headerSchema,
  tableOfPiece,
  type ArchiveEntry,
  type ArchiveHeader,
} from './archive-format.ts';

/** One entry: a file with its bytes, or a link. */
export type ReadEntry = { name: string; bytes: Buffer; mode: number; link: string | undefined };

/** A piece of rows has at most 1 MiB and one row; a file of a service may be larger. */
const maxEntryBytes = 1024 * 1024 * 1024;

/**
 * Reads an archive entry by entry, and checks each against the list at its end.
 * @throws ArchiveDamagedError if it is incomplete or was changed; the message names the table or file, and the byte
 */
export async function* readArchive(file: string): AsyncGenerator<ReadEntry> {
  const seen: ArchiveEntry[] = [];
  let last = 'its beginning';
  let ended = false;
  const source = createReadStream(file);
  const tar = extract();
  // the loop throws its errors
  pipeline(source, createZstdDecompress(), tar, () => {});
  try {
    for await (const entry of tar) {
      // the types lack an entry's header
      const { header } = entry as unknown as { header: Header };
      last = placeOf(header.name);
      if ((header.size ?? 0) > maxEntryBytes) throw new ArchiveDamagedError(`${last} is larger than Souk can read`);
      const bytes = await buffer(entry);
      if (header.name === endName) {
        compare(endSchema.parse(JSON.parse(bytes.toString())).entries, seen);
        ended = true;
        continue;
      }
      const link = header.type === 'symlink' ? (header.linkname ?? '') : undefined;
      seen.push({ name: header.name, bytes: bytes.length, sha256: hash('sha256', link ?? bytes) });
      yield { name: header.name, bytes, mode: header.mode ?? 0o600, link };
    }
  } catch (error) {
    if (error instanceof ArchiveDamagedError) throw error;
    const at = `byte ${source.bytesRead} of ${file}`;
    throw new ArchiveDamagedError(`the archive is damaged in ${last}, before ${at}: ${String(error)}`, {
      cause: error,
    });
  } finally {
    source.destroy();
  }
  if (!ended)
    throw new ArchiveDamagedError(`the archive is incomplete: it ends in ${last}, at byte ${source.bytesRead}`);
}

/** Reads the whole archive once. @throws ArchiveDamagedError */
export async function verifyArchive(file: string): Promise<void> {
  for await (const _ of readArchive(file));
}

/** Reads the first entry. @throws ArchiveDamagedError if the file is not an archive, or in a newer format */
export async function readHeader(file: string): Promise<ArchiveHeader> {
  for await (const { name, bytes } of readArchive(file)) {
    if (name !== headerName) break;
    return parseHeader(bytes);
  }
  throw new ArchiveDamagedError(`${file} is not a backup of Souk`);
}

export function parseHeader(bytes: Buffer): ArchiveHeader {
  const given: unknown = JSON.parse(bytes.toString());
  const format = z.object({ format: z.int() }).safeParse(given);
  if (format.success && format.data.format > archiveFormat)
    throw new ArchiveDamagedError('the archive was written by a newer version, in a format that this one cannot read');
  return headerSchema.parse(given);
}

function compare(expected: readonly ArchiveEntry[], seen: readonly ArchiveEntry[]): void {
  let byte = 0;
  for (const [index, entry] of expected.entries()) {
    const found = seen[index];
    const place = placeOf(entry.name);
    if (found?.name !== entry.name) throw new ArchiveDamagedError(`the archive lacks ${place}`);
    if (found.bytes !== entry.bytes || found.sha256 !== entry.sha256)
      throw new ArchiveDamagedError(
        `${place} was changed since the backup: between byte ${byte} and ${byte + found.bytes} of the unpacked archive`,
      );
    byte += entry.bytes;
  }
  const extra = seen[expected.length];
  if (extra) throw new ArchiveDamagedError(`${placeOf(extra.name)} was added since the backup`);
}

function placeOf(name: string): string {
  const table = tableOfPiece(name);
  if (table !== undefined) return `the table ${table} (${name})`;
  return name === headerName ? 'its header' : `the entry ${name}`;
}
