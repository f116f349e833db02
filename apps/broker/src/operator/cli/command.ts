import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { hasMasterKey } from '#platform/crypto/master-key.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import type { ConfigCheck } from './config-checks.ts';

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
    refuseWithoutData(config);
    // not among the answer, which a program may read
    if (config.databaseUrl !== undefined) {
      stderr('No broker runs on this machine: the command works on the database of DATABASE_URL itself.');
    }
    // most of the broker: a command that the broker answers does without
    const { runLocally } = await import('./run-locally.ts');
    return runLocally(config, command, args);
  }
}

/** A mistyped DATA_DIR, or a shell without MASTER_KEY, would otherwise leave a second installation behind. */
function refuseWithoutData({ databaseUrl, dataDir, masterKey }: Config): void {
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'db'))) {
    throw new ConfigError([
      `DATA_DIR: ${dataDir} has no data. Set DATA_DIR to the folder of the broker, or start the broker first`,
    ]);
  }
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
