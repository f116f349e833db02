import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { codeOf } from '../thrown.ts';

/** SQLSTATE disk_full. */
export const diskFull = '53100';

/** Another process has the embedded database open. PGlite has no lock: two openers would silently lose the rows of one. */
export class DataFolderInUseError extends Error {
  override name = 'DataFolderInUseError';
  constructor(folder: string) {
    super(`The data folder ${folder} is in use by another process. Stop it, or set DATA_DIR to another folder.`);
  }
}

/** The folder exists, but its database does not start: it is an incomplete copy or another version, or the disk is full. */
export class DataFolderDamagedError extends Error {
  override name = 'DataFolderDamagedError';
  constructor(folder: string, cause: unknown) {
    super(
      `The database in ${folder} cannot be opened: its files are incomplete or damaged. ` +
        'Restore it from a backup with `npm run souk -- restore`, or move the folder away to start empty.',
      { cause },
    );
  }
}

/** The database belongs to another user of the machine, usually after a restore by root. */
export class DataFolderForbiddenError extends Error {
  override name = 'DataFolderForbiddenError';
  /** @param path that the user of this process may not read or write */
  constructor(folder: string, path: string, cause: unknown) {
    const { username } = userInfo();
    super(
      `The database in ${folder} cannot be opened: the user ${username} may not read and write ${path}. ` +
        `Give the data folder to the user who runs Souk (chown -R ${username} ${dirname(folder)}), then start again.`,
      { cause },
    );
  }
}

/** Another version has changed the database in a way that this one does not know. */
export class DatabaseNewerError extends Error {
  override name = 'DatabaseNewerError';
  /** @param facts.theirs the version that changed it, if recorded; `migration`: its last change */
  constructor(facts: { migration: string; theirs: string | undefined; ours: string | undefined }) {
    const { migration, theirs, ours = 'unknown' } = facts;
    super(
      theirs === undefined || theirs === ours
        ? `the database was created by a development state of Souk (its migration ${migration}), which version ${ours} cannot ` +
            'read. Start with an empty database, or go back to that state.'
        : `the database was changed by version ${theirs} (its migration ${migration}), and this is version ${ours}, ` +
            `which does not know that change. Start version ${theirs} again, or restore a backup from before the upgrade.`,
    );
  }
}

/** The disk has too little space for the start of the embedded database, which writes. */
export class DiskFullError extends Error {
  override name = 'DiskFullError';
  readonly code = diskFull;
  constructor(message: string) {
    super(`${message} Free space, then start again.`);
  }
}

/** The database is unreachable or has stopped. The caller may retry; whether the statement took effect is unknown. */
export class DatabaseLostError extends Error {
  override name = 'DatabaseLostError';
}

/** A statement that the embedded database refused. Has the same fields as the errors of `pg`. */
export class StatementError extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;

  constructor(fields: StatementErrorFields) {
    super(fields.message);
    this.name = 'StatementError';
    this.code = fields.code;
    this.detail = fields.detail;
    this.constraint = fields.constraint;
    this.table = fields.table;
    this.column = fields.column;
  }
}

export type StatementErrorFields = {
  message: string;
  /** SQLSTATE, five characters. */
  code: string;
  detail?: string | undefined;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
};

/** Node's codes for failures of sockets and name look-ups. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the folder of a Unix socket
]);

/** SQLSTATE: 08 connection, 53 out of resources (disk full, too many clients), 57P shutting down or starting up. */
const lostState = /^(08...|53...|57P0[1-5])$/;

/** Messages of `pg` for errors without a code. */
const lostMessage =
  /^(Query read timeout|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end)/;

/** Whether the database is unreachable, rather than the statement wrong: HTTP answers 503. Looks through `cause`. */
export function isDatabaseLost(error: unknown): boolean {
  if (error instanceof DatabaseLostError) return true;
  // retrying does not help with a folder that cannot be opened
  if (error instanceof DataFolderDamagedError || error instanceof DataFolderForbiddenError) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseLost);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined && (networkCodes.has(code) || lostState.test(code))) return true;
  return lostMessage.test(error.message) || isDatabaseLost(error.cause);
}

/** Whether the database could not write because its disk is full, a case of isDatabaseLost. Looks through `cause`. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && (codeOf(error) === diskFull || isDiskFull(error.cause));
}

/** Whether a statement violated a unique index, or the one named `constraint`. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || codeOf(error) !== '23505') return false;
  return constraint === undefined || ('constraint' in error && error.constraint === constraint);
}
