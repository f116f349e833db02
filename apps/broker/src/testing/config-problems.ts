import { randomBytes } from 'node:crypto';
import { ConfigError, readConfig } from '#platform/config.ts';

export const masterKey = randomBytes(32).toString('base64url');
export const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' };
export const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://souk.example',
  MASTER_KEY: masterKey,
  PAYMENTS: 'off',
  ...google,
};

/** Returns the problems of the configuration with these variables. */
export function problemsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
