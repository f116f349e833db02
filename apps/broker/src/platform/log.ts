import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

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
];

/** JSON lines to stdout (or `destination`), secrets censored. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, redact: { paths: secretPaths, censor: '[redacted]' } };
  return destination ? pino(options, destination) : pino(options);
}
