import type { StatementErrorFields } from '../database-errors.ts';
import type { DiskSpace } from './disk-space-guard.ts';

// The messages between the process and the worker that runs the embedded database.

export type WorkerOptions = {
  /** The database's own folder. PGlite creates a new database there if it has no file PG_VERSION. */
  folder: string;
  /** Whether fsyncs reach the disk. Off in tests and while an image is built (it is synced as a whole afterwards). */
  durable: boolean;
};

export type Request =
  | { id: number; kind: 'query'; text: string; values: readonly unknown[] }
  | { id: number; kind: 'fsync-count' }
  | { id: number; kind: 'close' };

export type StatementResult = { rows: Record<string, unknown>[]; affectedRows: number; command: string };

export type Reply =
  | { kind: 'ready' }
  /** The database did not start, or has stopped permanently. */
  | { kind: 'fatal'; message: string }
  | { kind: 'notification'; channel: string; payload: string }
  /** The disk has become full, or has space again. */
  | { kind: 'space'; space: DiskSpace }
  | { kind: 'result'; id: number; result: StatementResult }
  | { kind: 'count'; id: number; count: number }
  | { kind: 'refused'; id: number; error: StatementErrorFields }
  | { kind: 'closed'; id: number };
