import type { Config } from '#platform/config.ts';

export type ConfigCheckOptions = {
  /** A folder of manifests to check instead of the bundled ones. */
  manifestsDir: string | undefined;
};

/** Answers every problem that it finds, each in one line that names its place. */
export type ConfigCheck = (config: Config, options: ConfigCheckOptions) => Promise<string[]>;

/** What `check-config` checks besides the environment variables. */
export const configChecks: readonly ConfigCheck[] = [];
