import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { SealedTextError } from '#platform/crypto/vault.ts';
import { makeDataFolder } from '#platform/data-folder.ts';
import type { Database } from '#platform/db/database.ts';
import { DataFolderDamagedError, DataFolderInUseError, DiskFullError } from '#platform/db/database-errors.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { DatabaseAwayError, openWhenReachable } from '#platform/db/open-when-reachable.ts';
import { createLog } from '#platform/log.ts';
import { describeSignInAllow } from '#platform/config/sign-in-allow.ts';
import { createOperatorServer } from '#platform/operator/operator-server.ts';
import { createApp } from './app.ts';
import { buildWeb, WebNotBuiltError } from './build-web.ts';
import { limitMemory } from './limit-memory.ts';
import { billingCommands } from '#operator/commands/billing-commands.ts';
import { paymentCommands } from '#operator/commands/payment-commands.ts';
import { reconcileCommand } from '#operator/commands/reconcile-command.ts';
import { operatorCommands } from '#operator/commands/operator-commands.ts';
import { version } from './version.ts';
import { serverLogCommand } from '#operator/commands/server-log.ts';
import { showServerCommand } from '#operator/commands/show-server.ts';
import { testManifestCommand } from '#operator/commands/test-manifest.ts';

/** EX_CONFIG of sysexits.h. */
const exitConfig = 78;
/** EX_UNAVAILABLE of sysexits.h. */
const exitUnavailable = 69;
/** A stop takes this long at most, after its grace: with the grace of production less than the 30 s of supervisors. */
const stopDeadlineMs = 24_000;

const config = readConfigOrExit();
limitMemory(config);
const log = createLog(config.logLevel);
await start();

async function start(): Promise<void> {
  try {
    makeDataFolder(config.dataDir);
    const webFolder = await buildWeb();
    const db = await openPostgres(config);
    const app = await createApp({ config, log, webFolder, ...(db && { db }) });
    await app.start();
    const operator = await createOperatorServer({
      dataDir: config.dataDir,
      commands: {
        ...operatorCommands(app),
        ...billingCommands(app),
        ...reconcileCommand(app),
        ...paymentCommands(app),
        ...serverLogCommand(app),
        ...showServerCommand(app),
        ...testManifestCommand(app),
      },
      log,
    });
    announce();
    if (config.ignoredHost !== undefined) {
      log.warn(
        { host: config.ignoredHost },
        'HOST is ignored: with demo sign-in or demo payments only this machine can connect',
      );
    }
    log.info({ address: config.publicUrl, version, open: describeSignInAllow(config.signInAllow) }, 'broker started');

    let stopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (stopping) return;
      stopping = true;
      const began = performance.now();
      log.info({ signal }, 'broker stopping');
      // after the deadline, exit ourselves before a supervisor kills the process
      setTimeout(() => process.exit(1), config.drainGraceMs + stopDeadlineMs).unref();
      Promise.all([operator.stop(), app.stop()]).then(
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
  } catch (error) {
    console.error(`${config.brandName} cannot start: ${explain(error)}`);
    process.exit(exitCodeOf(error));
  }
}

/** PostgreSQL, which may start later than we do; undefined without DATABASE_URL. */
async function openPostgres({ databaseUrl, dataDir }: Config): Promise<Database | undefined> {
  if (databaseUrl === undefined) return undefined;
  return openWhenReachable(() => openDatabase({ databaseUrl, dataDir, log }), {
    databaseUrl,
    onAway: (address, reason) => log.warn({ address, reason }, 'the database cannot be reached: trying again for 60 s'),
  });
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) return exitConfig;
  return error instanceof DatabaseAwayError || error instanceof DiskFullError ? exitUnavailable : 1;
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(exitConfig);
  }
}

/** An error that the operator can fix, in one line; any other error with its stack, for a report. */
function explain(error: unknown): string {
  const isPlain = [
    ConfigError,
    DatabaseAwayError,
    DataFolderInUseError,
    DataFolderDamagedError,
    DiskFullError,
    WebNotBuiltError,
  ].some((kind) => error instanceof kind);
  if (error instanceof Error && isPlain) return error.message;
  const listening = explainListening(error);
  if (listening !== undefined) return listening;
  if (error instanceof SealedTextError) {
    return 'the secrets in the database were sealed with another master key. Set MASTER_KEY to the one of its first start.';
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Why a port cannot be listened on; undefined for another error. */
function explainListening(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  if (error.syscall === 'getaddrinfo' && 'hostname' in error) {
    const name = error.hostname === config.metrics?.host ? 'METRICS_HOST' : 'HOST';
    return `${name}: ${String(error.hostname)} is no address or name of this machine.`;
  }
  if (error.syscall !== 'listen') return undefined;
  const isMetrics = 'port' in error && error.port === config.metrics?.port;
  const port = isMetrics ? config.metrics?.port : config.port;
  const variables = isMetrics ? ['METRICS_HOST', 'METRICS_PORT'] : ['HOST', 'PORT'];
  if (error.code === 'EADDRINUSE') return `port ${port} is in use. Set ${variables[1]} to another one.`;
  if (error.code === 'EACCES') return `port ${port} needs more rights. Set ${variables[1]} to one above 1023.`;
  if (error.code === 'EADDRNOTAVAIL') return `${variables[0]} is no address of this machine.`;
  return undefined;
}

function announce(): void {
  const { publicUrl, brandName, google, oidc, standIn, adminEmails, signInAllow } = config;
  const providers = [...(google ? ['Google'] : []), ...(oidc ? [oidc.name] : [])];
  const signIn = !standIn
    ? `with ${providers.join(' or ')}`
    : `with the stand-in for Google (demo sign-in): pick an account, or type any e-mail. Administrator: ${adminEmails.join(', ')}`;
  console.log(`
${brandName} is ready.

  Address   ${publicUrl}
  Link      ${publicUrl}/mcp      paste it into Claude, ChatGPT, VS Code or any MCP client
  Sign in   ${signIn}
  Open to   ${describeSignInAllow(signInAllow)}
`);
}
