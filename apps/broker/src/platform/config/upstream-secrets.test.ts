import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readUpstreamSecrets } from './upstream-secrets.ts';

test('secrets for servers come from variables or files, and problems are reported without their values', () => {
  const folder = mkdtempSync(join(tmpdir(), 'souk-secrets-'));
  const file = join(folder, 'secret');
  writeFileSync(file, 'from a file\n');
  const problems: string[] = [];
  const secrets = readUpstreamSecrets(
    {
      UPSTREAM_HEADER_SHOP__X_KEY: ' plain ',
      UPSTREAM_CLIENT_ID_DRIVE: '4711.apps',
      UPSTREAM_CLIENT_SECRET_DRIVE_FILE: file,
      UPSTREAM_HEADER_SHOP__TWO: 'canary\nX-Evil: 1',
      UPSTREAM_HEADER_SHOP__THREE_FILE: join(folder, 'none'),
      UPSTREAM_HEADER_SHOP__EMPTY: ' ',
      OTHER: 'x',
    },
    problems,
  );
  rmSync(folder, { recursive: true });
  expect([...secrets]).toEqual([
    ['UPSTREAM_HEADER_SHOP__X_KEY', 'plain'],
    ['UPSTREAM_CLIENT_ID_DRIVE', '4711.apps'],
    ['UPSTREAM_CLIENT_SECRET_DRIVE', 'from a file'],
  ]);
  expect(problems).toHaveLength(2);
  expect(problems.join()).not.toContain('canary');
});

test('the issuer of a client is an address without anything after its path', () => {
  const good = ['https://github.com/login/oauth', 'https://accounts.google.com/', 'http://id.internal:8080/realm'];
  for (const issuer of good) {
    const problems: string[] = [];
    const read = readUpstreamSecrets({ UPSTREAM_CLIENT_ISSUER_DRIVE: issuer }, problems);
    expect([[...read], problems]).toEqual([[['UPSTREAM_CLIENT_ISSUER_DRIVE', issuer]], []]);
  }
  const bad = [
    'github.com',
    'https://a.example/?tenant=1',
    'https://a.example/#x',
    'https://u:p@a.example',
    'javascript:1',
  ];
  for (const issuer of bad) {
    const problems: string[] = [];
    expect(readUpstreamSecrets({ UPSTREAM_CLIENT_ISSUER_DRIVE: issuer }, problems).size).toBe(0);
    expect(problems).toEqual([
      'UPSTREAM_CLIENT_ISSUER_DRIVE must be the address of an authorization server, as in its metadata',
    ]);
  }
});

test('a variable that no server could need is a problem: one underscore too few, small letters', () => {
  const problems: string[] = [];
  const environment = { UPSTREAM_HEADER_SHOP_X_KEY: 'canary', UPSTREAM_ENV_shop__KEY_FILE: '/canary' };
  expect(readUpstreamSecrets(environment, problems).size).toBe(0);
  expect(problems).toEqual([
    'UPSTREAM_HEADER_SHOP_X_KEY must have the form UPSTREAM_HEADER_{SERVER}__{NAME}, in capitals with _ for -',
    'UPSTREAM_ENV_shop__KEY_FILE must have the form UPSTREAM_ENV_{ALIAS}__{NAME}, in capitals with _ for -',
  ]);
});
