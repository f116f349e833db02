import { join } from 'node:path';
import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { SealedTextError } from '#platform/crypto/vault.ts';
import { makeDataFolder } from '#platform/data-folder.ts';
import type { Database } from '#platform/db/database.ts';
import {
  DatabaseNewerError,
  DataFolderDamagedError,
  DataFolderForbiddenError,
  DataFolderInUseError,
  DiskFullError,
  isDatabaseLost,
} from '#platform/db/database-errors.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { addressOf, DatabaseAwayError, openWhenReachable } from '#platform/db/postgres/open-when-reachable.ts';
import { leastOpenFiles, readOpenFileLimit } from '#platform/http/connections/connection-limits.ts';
import { createLog } from '#platform/log.ts';
import { readEnvFiles } from '#platform/config/env-file.ts';
import { runBackupCommand } from './run-backup-command.ts';
import { createOperatorServer } from '#platform/operator/operator-server.ts';
import { codeOf } from '#platform/thrown.ts';
import { announce, warnAtStart } from './announce.ts';
import { createApp } from './app.ts';
import { auditOf } from './app/audit-of-database.ts';
import { buildWeb, WebNotBuiltError } from './web-app/build-web.ts';
import { limitMemory } from './limit-memory.ts';
import { databaseCommands } from '#operator/commands/database-commands.ts';
import { auditCommand } from '#operator/commands/audit-command.ts';
import { offerCommands } from '#operator/commands/offer-commands.ts';
import { billingCommands } from '#operator/commands/billing-commands.ts';
import { paymentCommands } from '#operator/commands/payment-commands.ts';
import { overviewCommand } from '#operator/commands/overview-command.ts';
import { operatorCommands } from '#operator/commands/operator-commands.ts';
import { drainMsOf } from './stop-in-order.ts';
import { notifySupervisor } from './notify-supervisor.ts';
import { allowCommands } from '#operator/commands/allow-commands.ts';
import { secretCommands } from '#operator/commands/secret-commands.ts';
import { serverCommands } from '#operator/commands/server-commands.ts';
import { systemCommand } from '#operator/commands/system-command.ts';
import { checkSystem } from '#operator/cli/checks/system-checks.ts';
import { testManifestCommand } from '#operator/commands/manifests/test-manifest.ts';

/** EX_CONFIG of sysexits.h. */
const exitConfig = 78;
/** EX_UNAVAILABLE of sysexits.h. */
const exitUnavailable = 69;
/** SQLSTATEs of a wrong user, password or database, and of a missing privilege. */
const refusals: ReadonlySet<unknown> = new Set(['28000', '28P01', '3D000', '42501']);
/** The limit of a stop beyond its grace and drain times: in production the sum stays below the 30 s of supervisors. */
const stopDeadlineMs = 4_000;

const { config, environment } = readConfigOrExit();
limitMemory(config);
const log = createLog(config.logLevel);
await start();

async function start(): Promise<void> {
  try {
    requireOpenFiles();
    makeDataFolder(config.dataDir);
    const webFolder = await buildWeb();
    const db = await openPostgres(config);
    const systemChecks = () => checkSystem(config, environment);
    const listens = Promise.withResolvers<void>();
    const writeBackup = async (file: string) => {
      // because the command asks this broker for a copy of the embedded database
      await listens.promise;
      await runBackupCommand(file, environment);
    };
    const app = await createApp({ config, log, webFolder, environment, systemChecks, writeBackup, ...(db && { db }) });
    await app.start();
    db?.started?.();
    const operator = await createOperatorServer({
      dataDir: config.dataDir,
      commands: {
        ...operatorCommands(app),
        ...billingCommands(app),
        ...auditCommand(auditOf(app.db.query)),
        ...offerCommands(app),
        ...paymentCommands(app),
        ...allowCommands(app),
        ...secretCommands(app.upstreams.secrets),
        ...serverCommands(app),
        ...overviewCommand(app),
        ...systemCommand(app),
        ...databaseCommands(app),
        ...testManifestCommand(app),
      },
      log,
    });
    const supervisor = notifySupervisor(environment, log);
    listens.resolve();
    let stopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (stopping) return;
      stopping = true;
      const began = performance.now();
      log.info({ signal }, 'broker stopping');
      supervisor.stopping();
      // after the deadline, exit ourselves before a supervisor kills the process
      setTimeout(() => process.exit(1), config.drainGraceMs + drainMsOf(config) + stopDeadlineMs).unref();
      // operator commands count as requests
      app
        .stop(() => operator.stop())
        .then(
          () => {
            log.info({ tookMs: Math.round(performance.now() - began) }, 'broker stopped');
            process.exit(0);
          },
          (error: unknown) => {
            log.error({ err: error }, 'the broker did not stop cleanly');
            process.exit(1);
          },
        );
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
    supervisor.ready();
    // last, because a reader of this line may send a signal immediately
    announce(config, log, process.stdout.isTTY ? process.stdout : undefined);
    warnAtStart(config, log, app.catalogue.snapshot().servers.length);
  } catch (error) {
    console.error(`${config.brandName} cannot start: ${explain(error)}`);
    process.exit(exitCodeOf(error));
  }
}

/** @throws ConfigError if this process may have too few files and sockets open */
function requireOpenFiles(): void {
  const openFiles = readOpenFileLimit();
  if (openFiles === undefined || openFiles >= leastOpenFiles) return;
  throw new ConfigError([
    `The limit of open files is ${openFiles}, but must be at least ${leastOpenFiles}: raise it with ulimit -n, or LimitNOFILE of systemd.`,
  ]);
}

/** Opens PostgreSQL, which may start later than the broker. Returns undefined without DATABASE_URL. */
async function openPostgres({ databaseUrl, listenUrl, dataDir, poolSize }: Config): Promise<Database | undefined> {
  if (databaseUrl === undefined) return undefined;
  return openWhenReachable(() => openDatabase({ databaseUrl, listenUrl, dataDir, poolSize, isStarting: true, log }), {
    databaseUrl,
    onAway: (address, reason) => log.warn({ address, reason }, 'the database cannot be reached: trying again for 60 s'),
  });
}

function exitCodeOf(error: unknown): number {
  if ([ConfigError, DatabaseNewerError, SealedTextError].some((kind) => error instanceof kind)) return exitConfig;
  if (isDatabaseRefusal(error)) return exitConfig;
  return error instanceof DatabaseAwayError || isDatabaseLost(error) ? exitUnavailable : 1;
}

function readConfigOrExit(): { config: Config; environment: NodeJS.ProcessEnv } {
  try {
    const { argv, environment, files } = readEnvFiles(process.argv.slice(2), process.env);
    if (argv.length > 0) throw new ConfigError([`${argv.join(' ')}: the only option of the broker is --env-file FILE`]);
    return { config: readConfig(environment, files), environment };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(exitConfig);
  }
}

/** Returns one line for an error that the operator can fix, and the stack of any other, for a report. */
function explain(error: unknown): string {
  const isPlain = [
    ConfigError,
    DatabaseAwayError,
    DatabaseNewerError,
    DataFolderInUseError,
    DataFolderDamagedError,
    DataFolderForbiddenError,
    DiskFullError,
    WebNotBuiltError,
  ].some((kind) => error instanceof kind);
  if (error instanceof Error && isPlain) return error.message;
  const listening = explainListening(error);
  if (listening !== undefined) return listening;
  if (error instanceof SealedTextError) {
    const keyFile = join(config.dataDir, 'master.key');
    const place =
      config.masterKey === undefined ? `${keyFile} is not that key` : 'MASTER_KEY (or MASTER_KEY_FILE) is not that key';
    return `the secrets in the database were sealed with another master key: ${place}. Restore the key of its first start.`;
  }
  if (config.databaseUrl !== undefined && error instanceof Error) {
    const address = addressOf(config.databaseUrl);
    if (isDatabaseRefusal(error))
      return `the database at ${address} refused the connection: ${error.message}. Check DATABASE_URL.`;
    if (isDatabaseLost(error))
      return `the connection to the database at ${address} was lost during the start: ${error.message}.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isDatabaseRefusal(error: unknown): boolean {
  return error instanceof Error && refusals.has(codeOf(error));
}

/** Explains why a port cannot be opened. Returns undefined for other errors. */
function explainListening(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  if (error.syscall === 'getaddrinfo' && 'hostname' in error) {
    const name = error.hostname === config.metrics?.host ? 'METRICS_HOST' : 'HOST';
    return `${name}: ${String(error.hostname)} is not an address or name of this machine.`;
  }
  if (error.syscall !== 'listen') return undefined;
  const isMetrics = 'port' in error && error.port === config.metrics?.port;
  const port = isMetrics ? config.metrics?.port : config.port;
  const variables = isMetrics ? ['METRICS_HOST', 'METRICS_PORT'] : ['HOST', 'PORT'];
  if (error.code === 'EADDRINUSE') return `port ${port} is in use. Set ${variables[1]} to another one.`;
  if (error.code === 'EACCES') return `port ${port} needs more rights. Set ${variables[1]} to one above 1023.`;
  if (error.code === 'EADDRNOTAVAIL') return `${variables[0]} is not an address of this machine.`;
  return undefined;
}
