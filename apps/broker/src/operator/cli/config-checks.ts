import { dirname, join } from 'node:path';
import { readOffers } from '#features/billing/index.ts';
import { isForbiddenHere, readManifestFolder, type ManifestPolicy } from '#features/catalogue/index.ts';
import { ConfigError, type Config } from '#platform/config.ts';
import { dataFolderProblem } from '#platform/data-folder.ts';
import { readInstallation } from '../../installation.ts';
import { paths, type Paths } from '../../paths.ts';

export type ConfigCheckOptions = {
  /** A folder of manifests to check instead of the bundled ones. */
  manifestsDir: string | undefined;
};

/** Returns every problem that it finds, each in one line that names its place. */
export type ConfigCheck = (config: Config, options: ConfigCheckOptions) => Promise<string[]>;

/** What the start would say of a file that it reads. */
function problemsOf(error: unknown): string[] {
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
  async () => {
    try {
      readOffers(offers);
      return [];
    } catch (error) {
      return problemsOf(error);
    }
  };

/** What `check-config` checks besides the environment variables. */
export const configChecks = (files: Paths = paths): readonly ConfigCheck[] => [
  checkDataFolder,
  checkOffers(files),
  checkManifests(files),
];
