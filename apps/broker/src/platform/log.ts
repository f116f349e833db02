import { pino, type DestinationStream, type Logger } from 'pino';
import { createHiddenValues } from './text/hide-secrets.ts';

export type Log = Logger & {
  /** Keeps these values out of all lines from now on. Replaces the previous values of the same owner. */
  hideValues?: (owner: string, values: readonly string[]) => void;
};

/** Header and field names whose values never reach the log. */
const secretPaths = [
  'req.headers.authorization',
  'req.headers.cookie',
  'res.headers["set-cookie"]',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.secret',
  '*.clientSecret',
  '*.token',
  '*.accessToken',
  '*.refreshToken',
  '*.access_token',
  '*.refresh_token',
  'query.code',
  'body.code',
  '*.code_verifier',
  '*.masterKey',
  '*.nextMasterKey',
];

/** Writes JSON lines to stdout (or `destination`). Secrets are censored by name, and those of `hideValues` wherever they occur. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const hidden = createHiddenValues();
  const redact = { paths: secretPaths, censor: '[redacted]' };
  const options = { level, base: null, redact, hooks: { streamWrite: hidden.hide } };
  const log = destination ? pino(options, destination) : pino(options);
  return Object.assign(log, { hideValues: hidden.set });
}
