import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readUpstreamSecrets } from './upstream-secrets.ts';

test('secrets for servers come from variables or files; problems are reported without their values', () => {
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
