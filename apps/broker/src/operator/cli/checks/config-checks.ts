import { dirname, join } from 'node:path';
import { readOffers } from '#features/billing/index.ts';
import { isForbiddenHere, readManifestFolder, type ManifestPolicy } from '#features/catalogue/index.ts';
import { memoryGroupsProblem } from '#features/upstreams/index.ts';
import { ConfigError, readProgramConfig, type Config } from '#platform/config.ts';
import { hasEmbeddedData } from '#platform/crypto/master-key.ts';
import { ofExistingData, weaknessOf } from '#platform/crypto/weak-master-key.ts';
import { bringsNotices } from '#platform/db/postgres/brings-notices.ts';
import { unheardText } from '#platform/db/postgres/hearing.ts';
import { dataFolderProblem } from '#platform/data-folder.ts';
import { readInstallation } from '../../../installation.ts';
import { readLegalTexts } from '../../../pages/legal-texts.ts';
import { paths, type Paths } from '../../../paths.ts';

export type ConfigCheckOptions = {
  /** A folder of manifests to check instead of the bundled ones. */
  manifestsDir: string | undefined;
  /** Takes what is no problem of the configuration, and still should be known. */
  warn(line: string): void;
};

/** Returns every problem that it finds, each in one line that names its place. */
export type ConfigCheck = (config: Config, options: ConfigCheckOptions) => Promise<string[]>;

/** What the start would say of a file that it reads. */
export function problemsOf(error: unknown): string[] {
  if (error instanceof ConfigError) return [...error.problems];
  return [error instanceof Error ? error.message : String(error)];
}

/** Reads every manifest of the folder as the loader does. Reports file, code and each field. */
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
          const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
          return [`${variable}: ${folder} cannot be read (${reason})`];
        }
      }),
    );
    return found.flat().flatMap((file) => {
      if (typeof file === 'string') return [file];
      if (!('problem' in file)) return [];
      const { code, message, issues } = file.problem;
      // bundled manifests that are forbidden in this installation are skipped at startup: they are not a problem
      if (bundled.includes(dirname(file.file)) && isForbiddenHere(code)) return [];
      if (issues.length === 0) return [`${file.file}: ${code}: ${message}`];
      return issues.map((issue) => `${file.file}: ${code}: ${issue.path ? `${issue.path} ` : ''}${issue.message}`);
    });
  };

const checkDataFolder: ConfigCheck = async ({ dataDir }) => {
  const problem = dataFolderProblem(dataDir);
  return problem === undefined ? [] : [problem];
};

/** Reads the plans and packages as the start does, whether or not something is sold. */
const checkOffers =
  ({ offers }: Paths): ConfigCheck =>
  async ({ offersFile }) => {
    try {
      readOffers(offersFile ?? offers);
      return [];
    } catch (error) {
      return problemsOf(error);
    }
  };

/** Reads the operator's texts as the start does. */
const checkLegalTexts =
  ({ legal }: Paths): ConfigCheck =>
  async (config) => {
    try {
      readLegalTexts(config, legal);
      return [];
    } catch (error) {
      return problemsOf(error);
    }
  };

/** A new installation would not start with such a key. Whether data of PostgreSQL is there already, this check does not ask. */
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
  const problem = await memoryGroupsProblem(programsCgroup, programLimits);
  return problem === undefined ? [] : [problem];
};

/** What is checked beside problems of the variables, so that one run tells all: what needs no more of the configuration. */
export async function checkBesideProblems(environment: NodeJS.ProcessEnv): Promise<string[]> {
  return checkProgramsCgroup(readProgramConfig(environment));
}

/** What is no fault of an installation that runs already. */
export function configWarnings(config: Config): string[] {
  const { masterKey, databaseUrl } = config;
  const weakness = masterKey === undefined ? undefined : weaknessOf(masterKey);
  const ofNew = databaseUrl === undefined ? '' : 'A database without data is not begun with it. ';
  return [
    ...(weakness === undefined ? [] : [`${weakness} ${ofNew}${ofExistingData}`]),
    ...allowanceWarnings(config),
    ...checkoutWarnings(config),
  ];
}

/** What tax and promotion codes come to without a payment provider. */
function checkoutWarnings({ checkout, payments }: Pick<Config, 'checkout' | 'payments'>): string[] {
  const named = [...(checkout.tax ? ['STRIPE_TAX'] : []), ...(checkout.codes ? ['PROMOTION_CODES'] : [])];
  if (payments === 'off') return named.map((name) => `${name}=1 does nothing, since PAYMENTS is off: nothing is sold.`);
  if (payments === 'stripe' || !checkout.tax) return [];
  return ['STRIPE_TAX=1: the stand-in for Stripe adds the tax of a demo table, which is no advice about tax.'];
}

/** Which authority the operator gives to administrators. */
function allowanceWarnings({ adminMayAllow, stdio }: Config): string[] {
  const packages =
    stdio === 'allowlist'
      ? 'ADMIN_MAY_ALLOW=packages: administrators choose packages of npm that this machine runs, at an exact version, in ' +
        'bubblewrap alone, without a network or with public addresses; never a command line, an option of Node, or a secret of yours.'
      : 'ADMIN_MAY_ALLOW=packages does nothing, since STDIO is off: set STDIO=allowlist too.';
  return [...(adminMayAllow.packages ? [packages] : []), ...(adminMayAllow.addresses ? [ofAddresses] : [])];
}

const ofAddresses =
  'ADMIN_MAY_ALLOW=addresses: administrators add addresses of private networks that servers may use, with plain http: ' +
  'a host and port, or at most 256 addresses at one port; never this machine, its cloud, or the port of the database.';

/** What `check-config` checks besides the environment variables. */
export const configChecks = (files: Paths = paths): readonly ConfigCheck[] => [
  checkDataFolder,
  checkMasterKey,
  checkProgramsCgroup,
  checkOffers(files),
  checkLegalTexts(files),
  checkManifests(files),
];

/** A pooler takes LISTEN and brings nothing, which the start says after a while alone. Of a database that is away nothing is said. */
export const checkNotices: ConfigCheck = async ({ databaseUrl, listenUrl }, { warn }) => {
  if (databaseUrl !== undefined && (await bringsNotices(databaseUrl, listenUrl ?? databaseUrl)) === false)
    warn(unheardText);
  return [];
};
