import { expect, test } from 'vitest';
import { problemsOf } from '#testing/config-problems.ts';
import { readConfig } from '../config.ts';

const meantBy = (name: string, others: NodeJS.ProcessEnv = {}) =>
  readConfig({ [name]: 'x', ...others }).misspelled.map(({ meant }) => meant);

test.each([
  ['DATA_DIRR', 'DATA_DIR'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DRI', 'DATA_DIR'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['ADMIN_EMAILZ', 'ADMIN_EMAILS'],
  ['MASTER_KEYFILE', 'MASTER_KEY_FILE'],
  ['ADMIN_EMAIL', 'ADMIN_EMAILS'],
  ['XBRAND_NAME', 'BRAND_NAME'],
  ['UPSTREAM_HEADERS_TRAVEL__KEY', 'UPSTREAM_HEADER_TRAVEL__KEY'],
  ['UPSTRAEM_ENV_TRAVEL__KEY', 'UPSTREAM_ENV_TRAVEL__KEY'],
  ['UPSTREAM_CLIENT_IDTRAVEL', 'UPSTREAM_CLIENT_ID_TRAVEL'],
  ['PROT', 'PORT'],
  ['STIDO', 'STDIO'],
])('%s is one letter away from %s', (name, meant) => {
  expect(meantBy(name)).toEqual([meant]);
});

test.each([
  'DATA_DIRECTORY',
  'POST',
  'GHOST',
  'HOSTS',
  'HOSTNAME',
  'STUDIO',
  'FTP_PROXY',
  'UPSTREAM',
  'PATH',
  'NODE_OPTIONS',
  'npm_config_cache',
  'METRICS_TOKEN',
  'DATA__DIRR',
])('%s is the variable of another program', (name) => {
  expect(meantBy(name)).toEqual([]);
});

test('a misspelled variable next to the right one, and an empty one, are not reported', () => {
  expect(meantBy('LOGLEVEL')).toEqual(['LOG_LEVEL']);
  expect(meantBy('LOGLEVEL', { LOG_LEVEL: 'error' })).toEqual([]);
  expect(meantBy('UPSTREM_ENV_A__B', { UPSTREAM_ENV_A__B: 'secret' })).toEqual([]);
  expect(meantBy('DATA_DIRR', { DATA_DIRR: ' ' })).toEqual([]);
});

test('a missing variable is found under its misspelled name', () => {
  expect(problemsOf({ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SERCET: 'secret' })).toEqual([
    'GOOGLE_CLIENT_SECRET is missing: GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET go together',
    'GOOGLE_CLIENT_SERCET is not a variable of Souk: did you mean GOOGLE_CLIENT_SECRET?',
  ]);
});
