import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readDeployedPrograms, type DeployedProgram } from '#features/catalogue/index.ts';
import {
  notAllowedText,
  programPlaceOf,
  readEnteredNames,
  secretVariable,
  type StdioAllowlist,
} from '#features/upstreams/index.ts';
import type { Config } from '#platform/config.ts';
import { missingKeyProblem } from '#platform/crypto/master-key.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { DataFolderInUseError, isDatabaseLost } from '#platform/db/database-errors.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { appliedNames, refuseNewer } from '#platform/db/product-versions.ts';
import { createLog } from '#platform/log.ts';
import { callOperator, NotRunningError, OperatorCommandError } from '#platform/operator/call-operator.ts';
import { deployedProgramsSchema } from '#operator/commands/server-commands.ts';
import { readInstallation } from '../../../installation.ts';
import { migrations } from '../../../migrations.ts';
import { paths } from '../../../paths.ts';
import { version } from '../../../version.ts';
import { problemsOf, type ConfigCheck } from './config-checks.ts';

/** Checks the configuration against the data of this installation, without changing the data. */
export const checkDeployed: ConfigCheck = async (config, { warn }) => {
  const { databaseUrl, dataDir } = config;
  const isEmbedded = databaseUrl === undefined;
  const keyProblem = isEmbedded ? await missingKeyProblem(config, undefined) : undefined;
  if (keyProblem !== undefined) return [keyProblem];
  try {
    const running = await askBroker(dataDir);
    if (running) {
      warnOfPrograms(running, config, warn);
      return [];
    }
    if (isEmbedded && !existsSync(join(dataDir, 'db'))) return [];
    const db = await openDatabase({ databaseUrl, dataDir, log: createLog('silent') });
    try {
      return await databaseProblems(db, config, warn);
    } finally {
      await db.close();
    }
  } catch (error) {
    if (!isDatabaseLost(error) && !(error instanceof DataFolderInUseError)) return problemsOf(error);
    warn('the database cannot be reached: the deployed servers were not checked');
    return [];
  }
};

/** Returns undefined if no broker runs, or an earlier version without this command. */
async function askBroker(dataDir: string): Promise<DeployedProgram[] | undefined> {
  try {
    return deployedProgramsSchema.parse(await callOperator(dataDir, 'server.programs', {}));
  } catch (error) {
    if (error instanceof NotRunningError || error instanceof OperatorCommandError) return undefined;
    throw error;
  }
}

async function databaseProblems(db: Database, config: Config, warn: (line: string) => void): Promise<string[]> {
  const applied = await appliedNames(db);
  // a new database, whose tables the start creates
  if (applied.size === 0) return [];
  await refuseNewer(db, { applied, known: new Set(migrations.map(({ name }) => name)), version });
  const keyProblem = config.databaseUrl === undefined ? undefined : await missingKeyProblem(config, db);
  warnOfPrograms(await readWithSecrets(db.query), config, warn);
  return keyProblem === undefined ? [] : [keyProblem];
}

async function readWithSecrets(query: Query): Promise<DeployedProgram[]> {
  const [programs, entered] = await Promise.all([readDeployedPrograms(query), readEnteredNames(query)]);
  return programs.map(({ id, alias }) => {
    const own = entered.filter(({ serverId, place }) => serverId === id && place === programPlaceOf(alias));
    return { id, alias, entered: own.map(({ name }) => name) };
  });
}

/** Only warns, since the broker starts without these programs: their servers have the status error. */
function warnOfPrograms(programs: readonly DeployedProgram[], config: Config, warn: (line: string) => void): void {
  for (const problem of programProblems(programs, config)) warn(problem);
}

function programProblems(programs: readonly DeployedProgram[], config: Config): string[] {
  let allowlist: StdioAllowlist;
  try {
    ({ allowlist } = readInstallation(config, paths));
  } catch {
    return []; // the check of manifests reports an invalid list
  }
  return programs.flatMap(({ id, alias, entered }) => {
    const entry = Object.hasOwn(allowlist, alias) ? allowlist[alias] : undefined;
    if (!entry)
      return [`deployed server ${id}: ${notAllowedText(alias, config)} (npm run souk -- manifest undeploy ${id})`];
    return entry.secrets
      .filter((name) => !entered.includes(name))
      .map((name) => secretVariable(alias, name))
      .filter((variable) => !config.upstreamSecrets.has(variable))
      .map(
        (variable) => `deployed server ${id}: its program needs ${variable} (or ${variable}_FILE), which is not set`,
      );
  });
}
