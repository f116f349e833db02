import { z } from 'zod';

/** Increment when an older version could not read what this one writes. */
export const archiveFormat = 1;

export const headerName = 'souk-backup.json';
export const endName = 'souk-backup-end.json';
export const keyName = 'master.key';

const columnSchema = z.object({ name: z.string(), type: z.string() });
const tableSchema = z.object({
  name: z.string(),
  columns: z.array(columnSchema),
  partitions: z.array(z.object({ name: z.string(), from: z.string(), to: z.string() })),
  rows: z.int().min(0),
});

/** The first entry of an archive, which describes its contents. */
export const headerSchema = z.object({
  format: z.literal(archiveFormat),
  /** The version that wrote the archive. */
  version: z.string(),
  takenAt: z.iso.datetime(),
  database: z.enum(['pglite', 'postgresql']),
  /** The names of the database's migrations, sorted. */
  migrations: z.array(z.string()),
  /** In the order in which they are filled. */
  tables: z.array(tableSchema),
  ledger: z.object({ accounts: z.int(), balance: z.int(), debt: z.int(), entries: z.int() }),
  /** Identifies the key that sealed the secrets, without revealing it. */
  masterKeyId: z.string(),
  /** Identifies the key of the other secrets while the key is being rotated. */
  formerKeyId: z.string().optional(),
  hasKey: z.boolean(),
  /** The folders of the data folder that the archive contains. */
  folders: z.array(z.string()),
});
export type ArchiveHeader = z.output<typeof headerSchema>;

/** The last entry lists all others, so that missing or changed ones are found. */
export const endSchema = z.object({
  entries: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});
export type ArchiveEntry = z.output<typeof endSchema>['entries'][number];

const piecesFolder = 'tables/';

/** "tables/public.users.00003": the third piece of a table's rows. */
export const pieceName = (table: string, number: number): string =>
  `${piecesFolder}${table}.${String(number).padStart(5, '0')}`;

/** Returns the table of a piece; undefined for other entries. */
export const tableOfPiece = (entry: string): string | undefined =>
  entry.startsWith(piecesFolder) ? entry.slice(piecesFolder.length, entry.lastIndexOf('.')) : undefined;

/** The file is incomplete, was changed, or is not an archive. The message names the place. */
export class ArchiveDamagedError extends Error {
  override name = 'ArchiveDamagedError';
}
