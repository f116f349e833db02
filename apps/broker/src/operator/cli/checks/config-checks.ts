import { dirname, join } from 'node:path';
import { readOffers } from '#features/billing/index.ts';
import { isForbiddenHere, readManifestFolder, type ManifestPolicy } from '#features/catalogue/index.ts';
import { memoryGroupsProblem } from '#features/upstreams/index.ts';
import { ConfigError, readProgramConfig, type Config } from '#platform/config.ts';
import { hasEmbeddedData } from '#platform/crypto/master-key.ts';
import { weakKeyInUseText, weaknessOf } from '#platform/crypto/weak-master-key.ts';
import { bringsNotices } from '#platform/db/postgres/brings-notices.ts';
import { unheardText } from '#platform/db/postgres/hearing.ts';
import { dataFolderProblem } from '#platform/data-folder.ts';
import { codeOf, messageOf } from '#platform/thrown.ts';
import { readInstallation } from '../../../installation.ts';
import { readLegalTexts } from '../../../pages/legal-texts.ts';
import { paths, type Paths } from '../../../paths.ts';

export type ConfigCheckOptions = {
  /** A folder of manifests to check instead of the bundled ones. */
  manifestsDir: string | undefined;
  /** Reports something that does not make the configuration invalid. */
  warn(line: string): void;
};

/** Returns all problems, each as one line that names its place. */
export type ConfigCheck = (config: Config, options: ConfigCheckOptions) => Promise<string[]>;

/** Returns the problems that the start would report for this error. */
export function problemsOf(error: unknown): string[] {
  return error instanceof ConfigError ? [...error.problems] : [messageOf(error)];
}

/** Reads a file as the start does. */
const checkReading =
  (read: (config: Config) => unknown): ConfigCheck =>
  async (config) => {
    try {
      read(config);
      return [];
    } catch (error) {
      return problemsOf(error);
    }
  };

/** Reads every manifest of the folders as the start does. Reports file, code and field. */
const checkManifests =
  (paths: Paths): ConfigCheck =>
  async (config, { manifestsDir }) => {
    let policy: ManifestPolicy;
    try {
      ({ policy } = readInstallation(config, paths));
    } catch (error) {
      return problemsOf(error);
    }
    const bundled = ['deployed', 'staged'].map((name) => join(paths.catalogue, name));
    const own = manifestsDir ?? config.catalogueDir;
    const folders = [
      ...(own === undefined ? [] : [own]),
      ...(manifestsDir === undefined && config.bundledCatalogue ? bundled : []),
    ];
    const found = await Promise.all(
      folders.map(async (folder) => {
        try {
          return await readManifestFolder(folder, policy);
        } catch (error) {
          const variable = folder === config.catalogueDir ? 'CATALOGUE_DIR' : '--manifests';
          return [`${variable}: ${folder} cannot be read (${codeOf(error) ?? String(error)})`];
        }
      }),
    );
    return found.flat().flatMap((file) => {
      if (typeof file === 'string') return [file];
      if (!('problem' in file)) return [];
      const { code, message, issues } = file.problem;
      // not a problem: the start skips bundled manifests that this installation forbids
      if (bundled.includes(dirname(file.file)) && isForbiddenHere(code)) return [];
      if (issues.length === 0) return [`${file.file}: ${code}: ${message}`];
      return issues.map((issue) => `${file.file}: ${code}: ${issue.path ? `${issue.path} ` : ''}${issue.message}`);
    });
  };

const listOf = (problem: string | undefined): string[] => (problem === undefined ? [] : [problem]);

/** A new installation does not start with a weak key. Assumes that a PostgreSQL database has data. */
const checkMasterKey: ConfigCheck = async ({ masterKey, databaseUrl, dataDir }) => {
  const weakness = masterKey === undefined ? undefined : weaknessOf(masterKey);
  const mayHaveData = databaseUrl !== undefined || hasEmbeddedData(dataDir);
  return weakness === undefined || mayHaveData ? [] : [weakness];
};

const checkProgramsCgroup = async ({
  programsCgroup,
  programLimits,
  stdio,
}: Pick<Config, 'programsCgroup' | 'programLimits' | 'stdio'>): Promise<string[]> => {
  if (programsCgroup === undefined || stdio === 'off') return [];
  return listOf(await memoryGroupsProblem(programsCgroup, programLimits));
};

/** Runs checks that do not need a valid configuration, so that one run reports all problems. */
export async function checkWithoutConfig(environment: NodeJS.ProcessEnv): Promise<string[]> {
  return checkProgramsCgroup(readProgramConfig(environment));
}

/** Returns warnings that do not keep an existing installation from starting. */
export function configWarnings(config: Config): string[] {
  const { masterKey, databaseUrl } = config;
  const weakness = masterKey === undefined ? undefined : weaknessOf(masterKey);
  const ofNew = databaseUrl === undefined ? '' : 'Souk does not start with it on a database without data. ';
  return [
    ...(weakness === undefined ? [] : [`${weakness} ${ofNew}${weakKeyInUseText}`]),
    ...allowanceWarnings(config),
    ...checkoutWarnings(config),
  ];
}

function checkoutWarnings({ checkout, payments }: Pick<Config, 'checkout' | 'payments'>): string[] {
  const named = [...(checkout.tax ? ['STRIPE_TAX'] : []), ...(checkout.codes ? ['PROMOTION_CODES'] : [])];
  if (payments === 'off') return named.map((name) => `${name}=1 does nothing, since PAYMENTS is off: nothing is sold.`);
  if (payments === 'stripe' || !checkout.tax) return [];
  return ['STRIPE_TAX=1: the stand-in for Stripe adds the tax of a demo table, which is not tax advice.'];
}

function allowanceWarnings({ adminMayAllow, stdio }: Config): string[] {
  const packages =
    stdio === 'allowlist'
      ? 'ADMIN_MAY_ALLOW=packages: administrators choose npm packages that this machine runs, at an exact version, only in ' +
        'bubblewrap, without a network or with public addresses; never a command line, an option of Node, or one of your secrets.'
      : 'ADMIN_MAY_ALLOW=packages does nothing, since STDIO is off: set STDIO=allowlist too.';
  return [...(adminMayAllow.packages ? [packages] : []), ...(adminMayAllow.addresses ? [addressesWarning] : [])];
}

const addressesWarning =
  'ADMIN_MAY_ALLOW=addresses: administrators add addresses of private networks that servers may use, with plain http: ' +
  'a host and port, or at most 256 addresses at one port; never this machine, its cloud, or the port of the database.';

/** The checks of `check-config`, except those of environment variables. Offers are checked even if nothing is sold. */
export const configChecks = (files: Paths = paths): readonly ConfigCheck[] => [
  async ({ dataDir }) => listOf(dataFolderProblem(dataDir)),
  checkMasterKey,
  checkProgramsCgroup,
  checkReading(({ offersFile }) => readOffers(offersFile ?? files.offers)),
  checkReading((config) => readLegalTexts(config, files.legal)),
  checkManifests(files),
];

/** Warns of a pooler that accepts LISTEN but delivers nothing. Reports nothing if the database is unreachable. */
export const checkNotices: ConfigCheck = async ({ databaseUrl, listenUrl }, { warn }) => {
  if (databaseUrl !== undefined && (await bringsNotices(databaseUrl, listenUrl ?? databaseUrl)) === false)
    warn(unheardText);
  return [];
};
