import { z } from 'zod';

/** To be raised when an older product could not read what this one writes. */
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

/** The first entry of an archive: what a restore brings. */
export const headerSchema = z.object({
  format: z.literal(archiveFormat),
  /** The version of the product that wrote the archive. */
  version: z.string(),
  takenAt: z.iso.datetime(),
  database: z.enum(['pglite', 'postgresql']),
  /** The names of the migrations that the database had, sorted. */
  migrations: z.array(z.string()),
  /** In the order in which they are filled. */
  tables: z.array(tableSchema),
  ledger: z.object({ accounts: z.int(), balance: z.int(), debt: z.int(), entries: z.int() }),
  /** Names the key that the secrets were sealed with, without revealing it. */
  masterKeyId: z.string(),
  /** While the key is being rotated: the one that the other secrets were sealed with. */
  formerKeyId: z.string().optional(),
  hasKey: z.boolean(),
  /** The folders of the data folder that the archive brings. */
  folders: z.array(z.string()),
});
export type ArchiveHeader = z.output<typeof headerSchema>;

/** The last entry lists all others, so that a missing or changed one is found. */
export const endSchema = z.object({
  entries: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});
export type ArchiveEntry = z.output<typeof endSchema>['entries'][number];

const piecesFolder = 'tables/';

/** "tables/public.users.00003": the third piece of a table's rows. */
export const pieceName = (table: string, number: number): string =>
  `${piecesFolder}${table}.${String(number).padStart(5, '0')}`;

/** The table of a piece; undefined for another entry. */
export const tableOfPiece = (entry: string): string | undefined =>
  entry.startsWith(piecesFolder) ? entry.slice(piecesFolder.length, entry.lastIndexOf('.')) : undefined;

/** The archive is torn, was changed, or is none. The message names the place. */
export class ArchiveDamagedError extends Error {
  override name = 'ArchiveDamagedError';
}
