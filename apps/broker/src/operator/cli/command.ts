import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { z } from 'zod';
import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { hasMasterKey } from '#platform/crypto/master-key.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { findSocket } from '#platform/operator/socket-path.ts';
import type { ConfigCheck } from './checks/config-checks.ts';

export type CliOptions = {
  environment: NodeJS.ProcessEnv;
  stdout(line: string): void;
  stderr(line: string): void;
  stdin?(): Promise<Uint8Array>;
  checks?: readonly ConfigCheck[];
};

/** Invalid command line: exit code 64. */
export class UsageError extends Error {}
/** The command ran and has already printed what is wrong: exit code 1. */
export class ReportedError extends Error {}

export type Values = Record<string, string | boolean | undefined>;

type Help = readonly [option: string, text: string];

export type Command = {
  /** The words of the command, such as `token create`. */
  name: string;
  summary: string;
  usage: string;
  options?: ParseArgsOptionsConfig;
  /** The name of the positional argument, if the command has one. */
  argument?: string;
  /** Whether it takes several arguments, which are passed to `run` as its third parameter. */
  takesMany?: boolean;
  help?: readonly Help[];
  /** Whether it needs neither a broker nor its data. */
  standsAlone?: true;
  run(values: Values, cli: CliOptions, positionals: readonly string[]): Promise<void>;
};

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const jsonHelp: Help = ['--json', 'print the answer as JSON'];
export const auditReasonHelp: Help = ['--reason R', 'why, for the audit log'];

/**
 * Sends a command to the running broker, or runs it in this process if no broker runs: only one process can open the embedded
 * database. With DATABASE_URL, the brokers may run on other machines; the command then works on their database and says so.
 */
export async function askBrokerOrRun<Answer extends z.ZodType>(
  { environment, stderr }: Pick<CliOptions, 'environment' | 'stderr'>,
  answer: Answer,
  command: string,
  args: unknown,
  timeoutMs?: number,
): Promise<z.output<Answer>> {
  const config = readConfig(environment);
  try {
    return answer.parse(await callOperator(config.dataDir, command, args, timeoutMs));
  } catch (error) {
    if (!(error instanceof NotRunningError)) throw error;
    refuseWithoutKey(config);
    // on stderr, since a program may read the answer
    if (config.databaseUrl !== undefined) {
      stderr('No broker runs on this machine: the command works on the database of DATABASE_URL itself.');
    }
    // loaded here: it is most of the broker, and a command that the broker answers does not need it
    const { runLocally } = await import('./run-locally.ts');
    return answer.parse(await runLocally(config, command, args));
  }
}

/** Sends a command to the running broker. @throws NotRunningError */
export async function askBroker<Answer extends z.ZodType>(
  { environment }: Pick<CliOptions, 'environment'>,
  answer: Answer,
  command: string,
  args: unknown = {},
  timeoutMs?: number,
): Promise<z.output<Answer>> {
  return answer.parse(await callOperator(readConfig(environment).dataDir, command, args, timeoutMs));
}

/** Prints an answer, or shows it as JSON with --json. */
export function show<Answer>(
  answer: Answer,
  print: (answer: Answer, stdout: CliOptions['stdout']) => void,
  { values, stdout }: { values: Values } & Pick<CliOptions, 'stdout'>,
): void {
  if (values['json'] === true) stdout(JSON.stringify(answer));
  else print(answer, stdout);
}

/** A command that prints what the broker answers, or shows it as JSON with --json. */
export function answeredCommand<Answer extends z.ZodType>({
  command,
  answer,
  args = () => ({}),
  print,
  needsBroker = false,
  timeoutMs,
  hasFailed = () => false,
  help = [],
  ...parts
}: Omit<Command, 'run' | 'usage'> & {
  /** By default the name and --json. */
  usage?: string;
  /** The name under which the broker knows it. */
  command: string;
  answer: Answer;
  args?(values: Values, positionals: readonly string[], cli: CliOptions): unknown;
  print(answer: z.output<Answer>, stdout: CliOptions['stdout'], more: { values: Values } & CliOptions): void;
  needsBroker?: boolean;
  timeoutMs?: number;
  /** Whether the command exits with 1. */
  hasFailed?(answer: z.output<Answer>): boolean;
}): Command {
  const ask = needsBroker ? askBroker : askBrokerOrRun;
  const notes = help.findIndex(([option]) => option === '');
  return {
    usage: `${parts.name} [--json]`,
    ...parts,
    options: { ...parts.options, json: flag },
    help: help.toSpliced(notes < 0 ? help.length : notes, 0, jsonHelp),
    async run(values, cli, positionals) {
      const answered = await ask(cli, answer, command, await args(values, positionals, cli), timeoutMs);
      const more = { values, ...cli };
      show(answered, (shown, stdout) => print(shown, stdout, more), more);
      if (hasFailed(answered)) throw new ReportedError();
    },
  };
}

/**
 * Checks that the broker's data is where this shell looks for it, before a command does anything else. With a mistyped
 * DATA_DIR, the command would otherwise report that no broker runs, or create a second installation.
 * @throws ConfigError that names DATA_DIR
 */
export async function requireData({ databaseUrl, dataDir }: Config): Promise<void> {
  const refuse = (what: string, remedy = 'Set DATA_DIR to the folder of the broker, or start the broker first') => {
    throw new ConfigError([`DATA_DIR: ${dataDir} ${what}. ${remedy}`]);
  };
  const found = kindOf(dataDir);
  if (found === 'closed') {
    refuse('cannot be opened by this user', 'Run the command as the user that runs the broker');
  }
  if (found === 'file') refuse('is not a folder');
  // the brokers of a PostgreSQL database may all run on other machines
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'db'))) return;
  const socket = await findSocket(dataDir);
  if (socket === undefined || !existsSync(socket)) refuse(found === 'folder' ? 'has no data' : 'does not exist');
}

function kindOf(path: string): 'folder' | 'file' | 'closed' | undefined {
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

/** Stops a shell without MASTER_KEY, which would otherwise create another key. */
function refuseWithoutKey({ dataDir, masterKey }: Config): void {
  if (masterKey === undefined && !hasMasterKey(dataDir)) {
    throw new ConfigError([
      `MASTER_KEY is missing: set it, or MASTER_KEY_FILE, as for the broker (${dataDir} has none)`,
    ]);
  }
}

/** @throws UsageError if the value is missing */
export function required(values: Values, name: string, command: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`${name} is required. See: npm run souk -- ${command} --help`);
  return value;
}
