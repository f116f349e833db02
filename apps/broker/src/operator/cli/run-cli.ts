import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError, readConfig } from '#platform/config.ts';
import { readEnvFiles } from '#platform/config/env-file.ts';
import { sayIssues } from '#platform/text/say-issues.ts';
import { SealedTextError } from '#platform/crypto/vault.ts';
import {
  DatabaseNewerError,
  DataFolderDamagedError,
  DataFolderForbiddenError,
  DataFolderInUseError,
  isDatabaseLost,
  isDiskFull,
} from '#platform/db/database-errors.ts';
import { OperatorCommandError } from '#platform/operator/call-operator.ts';
import { databaseAway } from '#platform/operator/operator-protocol.ts';
import { codeOf, messageOf } from '#platform/thrown.ts';
import { ReportedError, requireData, UsageError, type CliOptions, type Command, type Values } from './command.ts';
import { version } from '../../version.ts';
import { auditCliCommand } from './audit.ts';
import { backupCliCommands } from './backup/backup.ts';
import { checkCliCommands } from './checks/checks.ts';
import { creditCliCommands } from './credits.ts';
import { manifestCliCommands } from './manifests/manifest.ts';
import { offerCliCommands } from './offers.ts';
import { paymentCliCommands } from './payments.ts';
import { registryCliCommands } from './registries.ts';
import { reconcileCliCommand } from './reconcile.ts';
import { printable } from './printable.ts';
import { allowCliCommands } from './allow.ts';
import { secretCliCommands } from './secrets.ts';
import { serverCliCommands } from './servers.ts';
import { systemCliCommand } from './system.ts';
import { tokenCliCommand } from './tokens.ts';
import { userAccessCliCommands } from './user-access.ts';
import { userCliCommands } from './users.ts';

/** sysexits.h: EX_USAGE, EX_UNAVAILABLE and EX_CONFIG. */
const exitUsage = 64;
const exitUnavailable = 69;
const exitConfig = 78;
const exitFailure = 1;

// Modules that only some commands need are imported by them: a broker's answer then arrives in a third of the time.
const commands: readonly Command[] = [
  tokenCliCommand,
  ...userCliCommands,
  ...userAccessCliCommands,
  ...creditCliCommands,
  ...offerCliCommands,
  reconcileCliCommand,
  ...paymentCliCommands,
  auditCliCommand,
  ...registryCliCommands,
  systemCliCommand,
  ...backupCliCommands,
  ...serverCliCommands,
  ...checkCliCommands,
  ...manifestCliCommands,
  ...secretCliCommands,
  ...allowCliCommands,
];

/** Runs the operator's command line. @returns the exit code: 0, 1 failure, 64 usage, 69 no database, 78 configuration */
export async function runCli(words: readonly string[], options: CliOptions): Promise<number> {
  const printing: CliOptions = {
    ...options,
    stdout: (line) => options.stdout(printable(line)),
    stderr: (line) => options.stderr(printable(line)),
  };
  try {
    const { argv, environment } = readEnvFiles(words, options.environment);
    const cli = { ...printing, environment };
    if (argv[0] === '--version' || argv[0] === '-v') {
      cli.stdout(version);
      return 0;
    }
    const command = commands.find(({ name }) => argv.slice(0, name.split(' ').length).join(' ') === name);
    if (!command) return printOverview(argv, cli);
    const { values, positionals } = parse(command, argv.slice(command.name.split(' ').length));
    if (values.help === true) {
      cli.stdout(helpOf(command));
      return 0;
    }
    if (command.standsAlone !== true) await requireData(readConfig(environment));
    await command.run(values, cli, positionals);
    return 0;
  } catch (error) {
    if (error instanceof ReportedError) return exitFailure;
    printing.stderr(explain(error));
    if (error instanceof UsageError) return exitUsage;
    if (isDatabaseLost(error) || isBrokersDatabaseAway(error)) return exitUnavailable;
    return isConfigurationError(error) ? exitConfig : exitFailure;
  }
}

function isBrokersDatabaseAway(error: unknown): error is OperatorCommandError {
  return error instanceof OperatorCommandError && error.code === databaseAway;
}

/** Whether another setting or file would fix the error. */
function isConfigurationError(error: unknown): boolean {
  return [ConfigError, DatabaseNewerError, SealedTextError].some((kind) => error instanceof kind);
}

function parse(command: Command, args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
    const { argument } = command;
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: argument !== undefined,
    });
    if (positionals.length > 1 && !command.takesMany) throw new Error(`Only one ${argument} can be given`);
    const named: Values = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? undefined : value]),
    );
    return { values: argument === undefined ? named : { ...named, [argument]: positionals[0] }, positionals };
  } catch (error) {
    const [reason] = messageOf(error).split('. ');
    throw new UsageError(`${reason}. See: npm run souk -- ${command.name} --help`);
  }
}

function printOverview(argv: readonly string[], { stdout, stderr }: CliOptions): number {
  const [first] = argv;
  const ofFirst = commands.filter(({ name }) => name.startsWith(`${first} `));
  const listed = ofFirst.length > 0 ? ofFirst : commands;
  const help = [
    'Usage: npm run souk -- [--env-file FILE] <command>',
    '',
    ...listed.map(({ name, summary }) => `  ${name.padEnd(18)} ${summary}`),
    '',
    'souk --version prints the version. Every command has --help. --env-file FILE reads variables from a file; those that are already set take precedence.',
  ].join('\n');
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help';
  if (isHelp(first) || (ofFirst.length > 0 && isHelp(argv[1]))) {
    stdout(help);
    return 0;
  }
  const isUnfinished = first === undefined || (ofFirst.length > 0 && argv.length === 1);
  stderr(isUnfinished ? help : `There is no command "${argv.slice(0, 2).join(' ')}". See: npm run souk -- --help`);
  return exitUsage;
}

function helpOf({ name, summary, usage, help = [] }: Command): string {
  const options = help.map(([option, text]) => `  ${option.padEnd(17)} ${text}`);
  return [`${name}: ${summary}`, '', `Usage: npm run souk -- ${usage}`, '', ...options].join('\n');
}

const expected = [UsageError, ConfigError, DataFolderInUseError, DataFolderDamagedError, DataFolderForbiddenError];

/** Returns one clear message, without a stack even for unexpected errors. */
function explain(error: unknown): string {
  if (isDatabaseLost(error) && !isDiskFull(error)) {
    return `The database cannot be reached (${codeOf(error) ?? String(error)}). Check DATABASE_URL, and that the database runs.`;
  }
  if (error instanceof z.ZodError) return sayIssues(error);
  if (isBrokersDatabaseAway(error))
    return `The broker's database cannot be reached (${error.message}). Check that it runs, and DATABASE_URL of the broker.`;
  if (error instanceof OperatorCommandError) return `The broker refused: ${error.message}`;
  if (error instanceof SealedTextError) {
    return 'The secrets in the database were sealed with another master key. Set MASTER_KEY, or MASTER_KEY_FILE, as for the broker.';
  }
  const message = messageOf(error);
  if (error instanceof DatabaseNewerError) return `The command cannot run: ${message}`;
  return expected.some((kind) => error instanceof kind) ? message : `Failed: ${message.split('\n', 1)[0]}`;
}
