import { dirname, join } from 'node:path';
import { isForbiddenHere, readManifestFolder, type ManifestPolicy } from '#features/catalogue/index.ts';
import { ConfigError, type Config } from '#platform/config.ts';
import { dataFolderProblem } from '#platform/data-folder.ts';
import { readInstallation } from '../../installation.ts';
import { paths } from '../../paths.ts';

export type ConfigCheckOptions = {
  /** A folder of manifests to check instead of the bundled ones. */
  manifestsDir: string | undefined;
};

/** Returns every problem that it finds, each in one line that names its place. */
export type ConfigCheck = (config: Config, options: ConfigCheckOptions) => Promise<string[]>;

/** Reads every manifest of the folder as the loader does. Reports file, code and each field. */
const checkManifests: ConfigCheck = async (config, { manifestsDir }) => {
  let policy: ManifestPolicy;
  try {
    ({ policy } = readInstallation(config, paths));
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    return [error instanceof Error ? error.message : String(error)];
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

/** What `check-config` checks besides the environment variables. */
export const configChecks: readonly ConfigCheck[] = [checkDataFolder, checkManifests];
