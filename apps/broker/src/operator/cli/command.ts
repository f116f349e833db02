import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { hasMasterKey } from '#platform/crypto/master-key.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { findSocket } from '#platform/operator/socket-path.ts';
import type { ConfigCheck } from './checks/config-checks.ts';

export type CliOptions = {
  environment: NodeJS.ProcessEnv;
  stdout(line: string): void;
  stderr(line: string): void;
  /** The whole of standard input. */
  stdin?(): Promise<Uint8Array>;
  checks?: readonly ConfigCheck[];
};

/** The command line is not as the command wants it: exit code 64. */
export class UsageError extends Error {}
/** The command ran and has already printed what is wrong: exit code 1. */
export class ReportedError extends Error {}

export type Values = Record<string, string | boolean | undefined>;

export type Command = {
  /** The words of the command, such as `token create`. */
  name: string;
  summary: string;
  usage: string;
  options: ParseArgsOptionsConfig;
  /** The name of the one positional argument, if the command has one. */
  argument?: string;
  /** It takes several of them, which `run` gets as its third argument. */
  takesMany?: boolean;
  help: readonly [option: string, text: string][];
  /** It needs neither a broker nor its data. */
  standsAlone?: true;
  run(values: Values, cli: CliOptions, positionals: readonly string[]): Promise<void>;
};

/**
 * Only one process can open the embedded database: the broker if it runs, otherwise this process. With DATABASE_URL the
 * brokers may run on other machines: the command then works on their database, and says so.
 */
export async function askBrokerOrRun(
  { environment, stderr }: Pick<CliOptions, 'environment' | 'stderr'>,
  command: string,
  args: unknown,
  timeoutMs?: number,
): Promise<unknown> {
  const config = readConfig(environment);
  try {
    return await callOperator(config.dataDir, command, args, timeoutMs);
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
    refuseWithoutKey(config);
    // not among the answer, which a program may read
    if (config.databaseUrl !== undefined) {
      stderr('No broker runs on this machine: the command works on the database of DATABASE_URL itself.');
    }
    // most of the broker: a command that the broker answers does without
    const { runLocally } = await import('./run-locally.ts');
    return runLocally(config, command, args);
  }
}

/**
 * Whether the broker's data is where this shell looks for it, before a command does anything else: a mistyped DATA_DIR would
 * otherwise be told as a broker that does not run, or leave a second installation behind.
 * @throws ConfigError that names DATA_DIR
 */
export async function requireData({ databaseUrl, dataDir }: Config): Promise<void> {
  const refuse = (what: string, remedy = 'Set DATA_DIR to the folder of the broker, or start the broker first') => {
    throw new ConfigError([`DATA_DIR: ${dataDir} ${what}. ${remedy}`]);
  };
  const found = lookAt(dataDir);
  if (found === 'closed') {
    refuse('cannot be opened by this user', 'Run the command as the user that runs the broker');
  }
  if (found === 'file') refuse('is not a folder');
  // brokers of a PostgreSQL may all be elsewhere
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'db'))) return;
  const socket = await findSocket(dataDir);
  if (socket === undefined || !existsSync(socket)) refuse(found === 'folder' ? 'has no data' : 'does not exist');
}

function lookAt(path: string): 'folder' | 'file' | 'closed' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isDirectory()) return 'file';
    accessSync(path, constants.R_OK | constants.X_OK);
    return 'folder';
  } catch {
    return 'closed';
  }
}

/** A shell without MASTER_KEY would otherwise make another key. */
function refuseWithoutKey({ dataDir, masterKey }: Config): void {
  if (masterKey === undefined && !hasMasterKey(dataDir)) {
    throw new ConfigError([
      `MASTER_KEY is missing: set it, or MASTER_KEY_FILE, as for the broker (${dataDir} has none)`,
    ]);
  }
}

/** @throws UsageError without it */
export function required(values: Values, name: string, command: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`${name} is required. See: npm run souk -- ${command} --help`);
  return value;
}
