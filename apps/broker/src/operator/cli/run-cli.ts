import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { readEnvFiles } from '#platform/config/env-file.ts';
import { sayMisspelled } from '#platform/config/misspelled.ts';
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
import { callOperator, OperatorCommandError } from '#platform/operator/call-operator.ts';
import { databaseAway } from '#platform/operator/operator-protocol.ts';
import {
  askBrokerOrRun,
  ReportedError,
  requireData,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';
import { serverLogSchema } from '#operator/commands/server-log.ts';
import { version } from '../../version.ts';
import { auditCliCommand } from './audit.ts';
import { backupCliCommands } from './backup/backup.ts';
import { creditCliCommands } from './credits.ts';
import { manifestCliCommands } from './manifests/manifest.ts';
import { offerCliCommands } from './offers.ts';
import { paymentCliCommands } from './payments.ts';
import { registryCliCommands } from './registries.ts';
import { reconcileCliCommand } from './reconcile.ts';
import { printable } from './printable.ts';
import { allowCliCommands } from './allow.ts';
import { secretCliCommands } from './secrets.ts';
import { systemCliCommand } from './system.ts';
import { userAccessCliCommands } from './user-access.ts';
import { userCliCommands } from './users.ts';

/** sysexits.h: EX_USAGE, EX_UNAVAILABLE and EX_CONFIG. */
const exitUsage = 64;
const exitUnavailable = 69;
const exitConfig = 78;
const exitFailure = 1;

// What only some commands need, they load themselves: an answer of the broker then comes in a third of the time.
const commands: readonly Command[] = [
  {
    name: 'token create',
    summary: 'creates a personal access token and prints only the token on standard output',
    usage: 'token create --email E --name N [--provider P] [--expires-days D] [--scopes S]',
    options: {
      email: { type: 'string' },
      name: { type: 'string' },
      provider: { type: 'string' },
      'expires-days': { type: 'string' },
      scopes: { type: 'string' },
    },
    help: [
      ['--email E', 'the owner of the token; while the demo sign-in is active, a missing user is created'],
      ['--name N', 'the name of the token in the list of tokens'],
      ['--provider P', "the user's sign-in provider (google or oidc); required unless the demo sign-in is active"],
      ['--expires-days D', "days until it expires, 1 to 366; by default the broker's setting"],
      ['--scopes S', "scopes, separated by commas; by default the broker's setting"],
    ],
    run: createToken,
  },
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
  {
    name: 'server log',
    summary: "shows a server's status and, of a program (stdio), the last lines that it wrote to stderr",
    usage: 'server log ID',
    options: {},
    argument: 'ID',
    help: [
      ['ID', "the id in the server's manifest"],
      [
        '',
        'the lines are of every process of the server: shared ones, those of single people, and of connection tests',
      ],
      ['', 'administrators do not see those of single people in the browser, since they may name them'],
    ],
    run: printServerLog,
  },
  {
    name: 'server show',
    summary: 'shows how a server is, its processes, and how it did in the last 30 days',
    usage: 'server show ID [--json]',
    options: { json: { type: 'boolean' } },
    argument: 'ID',
    help: [
      ['ID', "the id in the server's manifest"],
      ['--json', 'print the answer as JSON'],
    ],
    run: async (values, cli) => (await import('./show-server.ts')).showServer(values, cli),
  },
  {
    name: 'overview',
    summary: 'shows what waits for you, and how the shop did in the last 30 days, while Souk runs',
    usage: 'overview [--json]',
    options: { json: { type: 'boolean' } },
    help: [['--json', 'print the answer as JSON']],
    run: async (values, cli) => (await import('./overview.ts')).printOverview(values, cli),
  },
  {
    name: 'check-config',
    summary: 'checks whether Souk can start with this configuration, and lists every problem',
    usage: 'check-config [--manifests DIR]',
    options: { manifests: { type: 'string' } },
    help: [['--manifests DIR', 'check the manifests of this folder instead of the bundled ones']],
    run: checkConfig,
    standsAlone: true,
  },
  {
    name: 'doctor',
    summary: 'connects to an installation as an MCP client does, and names what keeps clients from connecting',
    usage: 'doctor [URL] [--json]',
    options: { json: { type: 'boolean' } },
    argument: 'URL',
    help: [
      [
        'URL',
        'the public address of the installation; by default PUBLIC_URL or PORT, else what the broker of DATA_DIR says',
      ],
      ['--json', 'print the checks as JSON'],
      ['', 'exits with 0 without faults, 1 with faults, 78 when the configuration is invalid'],
    ],
    run: examineInstallation,
    standsAlone: true,
  },
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
    if (!command) return overview(argv, cli);
    const rest = argv.slice(command.name.split(' ').length);
    const { values, positionals } = parse(command, rest);
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
    return isOfConfiguration(error) ? exitConfig : exitFailure;
  }
}

function isBrokersDatabaseAway(error: unknown): error is OperatorCommandError {
  return error instanceof OperatorCommandError && error.code === databaseAway;
}

/** What another setting or file mends. */
function isOfConfiguration(error: unknown): boolean {
  return [ConfigError, DatabaseNewerError, SealedTextError].some((kind) => error instanceof kind);
}

const tokenSchema = z.object({ token: z.string() });
const daysSchema = z.coerce.number().int().min(1).max(366);

async function createToken(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const { email, name, provider, scopes } = values;
  if (typeof email !== 'string' || typeof name !== 'string') throw new UsageError('--email and --name are required');
  const days = values['expires-days'] === undefined ? undefined : daysSchema.safeParse(values['expires-days']);
  if (days && !days.success) throw new UsageError('--expires-days must be a whole number from 1 to 366');
  const args = {
    email,
    name,
    provider,
    expiresInDays: days?.data,
    scopes: typeof scopes === 'string' ? scopes.split(',').map((scope) => scope.trim()) : undefined,
    operator: userInfo().username,
  };
  const result = await askBrokerOrRun({ environment, stderr }, 'token.create', args);
  stdout(tokenSchema.parse(result).token);
}

async function examineInstallation(values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { examine, printDiagnosis } = await import('./checks/doctor.ts');
  const address = typeof values.URL === 'string' ? values.URL : undefined;
  const examined = await examine(address, environment);
  if (!examined) throw new UsageError(`${address} is not an http or https address. See: npm run souk -- doctor --help`);
  const { baseUrl, diagnosis } = examined;
  if (values.json === true) stdout(JSON.stringify({ url: baseUrl, ...diagnosis }));
  else printDiagnosis(baseUrl, diagnosis, stdout);
  if (!diagnosis.ok) throw new ReportedError();
}

async function printServerLog({ ID: id }: Values, { environment, stdout }: CliOptions): Promise<void> {
  if (typeof id !== 'string') throw new UsageError('Name a server: npm run souk -- server log ID');
  const { dataDir } = readConfig(environment);
  const { status, detail, reason, lines } = serverLogSchema.parse(await callOperator(dataDir, 'server.log', { id }));
  stdout(detail === null ? status : `${status}: ${detail}`);
  if (reason !== null) stdout(`Reason: ${reason}`);
  for (const line of lines) stdout(`  ${line}`);
}

async function checkConfig(values: Values, { environment, stdout, stderr, checks: given }: CliOptions): Promise<void> {
  const { checkBesideProblems, checkNotices, configChecks, configWarnings } = await import('./checks/config-checks.ts');
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.problems, ...(await checkBesideProblems(environment))]);
  }
  const { checkMail } = await import('./checks/mail-checks.ts');
  const { checkDeployed } = await import('./checks/deployed-checks.ts');
  const { checkPrograms } = await import('./checks/program-checks.ts');
  const checks = given ?? [...configChecks(), checkNotices, checkMail, checkPrograms(), checkDeployed];
  const warn = (line: string) => stderr(`Warning: ${line}`);
  const manifestsDir = typeof values.manifests === 'string' ? values.manifests : undefined;
  const problems = (await Promise.all(checks.map((check) => check(config, { manifestsDir, warn })))).flat();
  if (problems.length > 0) throw new ConfigError([...problems, ...config.misspelled.map(sayMisspelled)]);
  // no fault: the variable may belong to another program
  for (const each of [...configWarnings(config), ...config.misspelled.map(sayMisspelled)]) warn(each);
  stdout('Configuration is valid');
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
    const [reason] = String(error instanceof Error ? error.message : error).split('. ');
    throw new UsageError(`${reason}. See: npm run souk -- ${command.name} --help`);
  }
}

const helpOfAll = [
  'souk --version prints the version. Every command has --help. --env-file FILE reads variables from a file; those that are set already count more.',
];

function overview(argv: readonly string[], { stdout, stderr }: CliOptions): number {
  const [first] = argv;
  const ofFirst = commands.filter(({ name }) => name.startsWith(`${first} `));
  const listed = ofFirst.length > 0 ? ofFirst : commands;
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(18)} ${summary}`);
  const help = ['Usage: npm run souk -- [--env-file FILE] <command>', '', ...lines, '', ...helpOfAll].join('\n');
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help';
  if (isHelp(first) || (ofFirst.length > 0 && isHelp(argv[1]))) {
    stdout(help);
    return 0;
  }
  const isUnfinished = first === undefined || (ofFirst.length > 0 && argv.length === 1);
  stderr(isUnfinished ? help : `There is no command "${argv.slice(0, 2).join(' ')}". See: npm run souk -- --help`);
  return exitUsage;
}

function helpOf({ name, summary, usage, help }: Command): string {
  const options = help.map(([option, text]) => `  ${option.padEnd(17)} ${text}`);
  return [`${name}: ${summary}`, '', `Usage: npm run souk -- ${usage}`, '', ...options].join('\n');
}

/** One clear message; what is unexpected too, without its stack. */
function explain(error: unknown): string {
  if (isDatabaseLost(error) && !isDiskFull(error)) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return `The database cannot be reached (${reason}). Check DATABASE_URL, and that the database runs.`;
  }
  if (error instanceof z.ZodError) return sayIssues(error);
  if (isBrokersDatabaseAway(error))
    return `The broker's database cannot be reached (${error.message}). Check that it runs, and DATABASE_URL of the broker.`;
  if (error instanceof OperatorCommandError) return `The broker refused: ${error.message}`;
  if (error instanceof SealedTextError) {
    return 'The secrets in the database were sealed with another master key. Set MASTER_KEY, or MASTER_KEY_FILE, as for the broker.';
  }
  const message = error instanceof Error ? error.message : String(error);
  const expected = [
    UsageError,
    ConfigError,
    DataFolderInUseError,
    DataFolderDamagedError,
    DataFolderForbiddenError,
  ].some((kind) => error instanceof kind);
  if (error instanceof DatabaseNewerError) return `The command cannot run: ${message}`;
  return expected ? message : `Failed: ${message.split('\n', 1)[0]}`;
}
