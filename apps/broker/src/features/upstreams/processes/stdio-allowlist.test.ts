import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paths } from '../../../paths.ts';
import { readStdioAllowlist } from './stdio-allowlist.ts';

let file: string;
beforeAll(() => {
  file = join(mkdtempSync(join(tmpdir(), 'souk-allowlist-')), 'list.json');
});
afterAll(() => rmSync(join(file, '..'), { recursive: true }));

const read = (list: unknown) => {
  writeFileSync(file, JSON.stringify(list));
  return readStdioAllowlist(file);
};

test('the bundled list is valid, and none of its programs has a network or a secret', () => {
  const entries = Object.values(readStdioAllowlist(paths.stdioAllowlist));
  expect(entries.length).toBeGreaterThan(3);
  for (const entry of entries) expect(entry).toMatchObject({ network: false, secrets: [] });
});

test('a program may name secrets, a network and an npm package at an exact version', () => {
  const entry = { npm: '@scope/name@1.2.3-rc.1', bin: 'name', args: ['--token-limit=5'], secrets: ['API_TOKEN'] };
  expect(read({ 'my-tool': { ...entry, network: true } })['my-tool']).toMatchObject({ ...entry, network: true });
  expect(read({ tool: { ...entry, network: 'host' } })['tool']).toMatchObject({ network: 'host' });
  // an empty value contains no secret: it switches a variable off
  expect(read({ tool: { npm: 'a@1.0.0', env: { API_TOKEN: '' } } })['tool']).toMatchObject({ env: { API_TOKEN: '' } });
  const braces = {
    argv: ['{node}', '{"a":{}}', '{personDir}/x'],
    reads: ['/srv/x', '{personDir}'],
    env: { A: '{personDir}' },
  };
  expect(read({ tool: braces })['tool']).toMatchObject(braces);
  expect(read({ tool: { argv: ['/usr/bin/x'] } })['tool']).toMatchObject({ network: false, secrets: [], env: {} });
});

describe('refused, with a text that names the place', () => {
  const argv = ['/usr/bin/x'];
  test.each([
    [{ secrets: { API_TOKEN: 'canary-1' }, argv }, 'tool.secrets must be a list of names'],
    [{ secrets: [{ API_TOKEN: 'canary-1' }], argv }, 'tool.secrets.0 must be a list of names'],
    [{ secrets: ['api token'], argv }, 'tool.secrets.0 must be a name of capitals'],
    [{ secrets: ['KEY_FILE'], argv }, 'tool.secrets.0 must not end in _FILE'],
    [
      { env: { API_TOKEN: 'canary-1' }, argv },
      'tool.env.API_TOKEN sounds like a secret, which does not belong in this file',
    ],
    [{ env: { A: 'x' }, secrets: ['A'], argv }, 'tool.env.A is in secrets too'],
    [{ argv: [...argv, '--api-key=canary-1'] }, 'tool.argv.1 sounds like a secret, and arguments are visible'],
    [{ npm: 'a@1.0.0', args: ['--password', 'canary-1'] }, 'tool.args.0 sounds like a secret'],
    [{ npm: '@scope/name@^1.2.3' }, 'tool.npm must be a package at an exact version'],
    [{ npm: 'name@latest' }, 'tool.npm must be a package at an exact version'],
    [{ npm: 'name' }, 'tool.npm must be a package at an exact version'],
    [{ npm: 'git+https://host/x.git' }, 'tool.npm must be a package at an exact version'],
    [{ npm: 'a@1.0.0', argv }, 'tool needs either argv or npm'],
    [{}, 'tool needs either argv or npm'],
    [{ argv, bin: 'x' }, 'tool.bin is only allowed with npm'],
    [{ argv, args: ['x'] }, 'tool.args is only allowed with npm'],
    [{ argv: [...argv, '{dataDir}'] }, 'tool.argv.1 {dataDir} is not a placeholder'],
    [{ npm: 'a@1.0.0', args: ['--in={home}'] }, 'tool.args.0 {home} is not a placeholder'],
    [{ argv, env: { HERE: '{cwd}' } }, 'tool.env.HERE {cwd} is not a placeholder'],
    [{ argv, reads: ['relative'] }, 'tool.reads.0 must be an absolute path below /'],
    [{ argv, reads: ['/'] }, 'tool.reads.0 must be an absolute path below /'],
    [{ argv, env: { DB: 'postgres://u:canary-1@h/d' } }, 'tool.env.DB has a password in it'],
    [{ argv, network: 'all' }, 'tool.network must be true, false or "host"'],
    [{ argv, sandbox: false }, 'tool has an unknown field: "sandbox"'],
  ])('%j', (entry, problem) => {
    expect(() => read({ tool: entry })).toThrow(`The allow-list ${file} cannot be used: ${problem}`);
    expect(() => read({ tool: entry })).not.toThrow('canary-1');
  });

  test('an invalid alias, and a file that is not JSON', () => {
    expect(() => read({ 'My Tool': { argv } })).toThrow('My Tool is not an alias');
    for (const [text, problem] of [
      ['{', 'is not valid JSON: it ends before every bracket and quote is closed'],
      ['{"tool":{"env":{"PIN":canary-1}}}', 'is not valid JSON: “c” is not expected at line 1, column 23'],
      [
        '{"tool":{"env":{"PIN":tcanary}}}',
        'is not valid JSON: a word without quotes is not expected at line 1, column 23',
      ],
      ['{"tool":{"env":{"PIN":"canary","PIN":"canary"}}}', 'tool.env.PIN is a duplicate key'],
    ] as const) {
      writeFileSync(file, text);
      expect(() => readStdioAllowlist(file)).toThrow(`The allow-list ${file} cannot be used: ${problem}`);
      expect(() => readStdioAllowlist(file)).not.toThrow('canary');
    }
  });
});
