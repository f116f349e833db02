import { describe, expect, test } from 'vitest';
import { clientName, distinctNames, namesNoProgram, nameUserAgent } from './client-name.ts';

describe('a program is named by its user agent', () => {
  test.each([
    ['claude-code/2.1.330 (cli)', 'Claude Code 2.1'],
    ['GeminiCLI-acp/0.61.0 (linux; x64)', 'Gemini CLI 0.61'],
    ['python-httpx/0.27.0', 'python-httpx 0.27'],
    ['node', 'Node.js'],
    ['my-script', 'my-script'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Cursor/1.9.2 Chrome/138.0 Electron/37.1 Safari/537.36',
      'Cursor 1.9',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0 Safari/537.36',
      'Mozilla 5.0',
    ],
    ['curl/nightly', 'curl'],
    ['tool/1234567890.1', 'tool'],
    ['a\u202Eb/1.0\u0000', 'a'],
    ['', ''],
    ['(((', ''],
  ])('%j is %j', (userAgent, name) => expect(nameUserAgent(userAgent)).toBe(name));

  test.each([
    ['node', true],
    ['undici/7', true],
    ['python-httpx/0.27.0', true],
    ['Go-http-client/1.1', true],
    ['', true],
    ['claude-code/2.1.330 (cli)', false],
    ['my-script', false],
    ['my-script/1 node/24', false],
  ])('%j names no program: %s', (userAgent, expected) => expect(namesNoProgram(userAgent)).toBe(expected));

  test('a name is limited, however long the user agent is', () => {
    expect(nameUserAgent('x'.repeat(100_000)).length).toBeLessThanOrEqual(100);
    expect(nameUserAgent(`${'('.repeat(50_000)}x/1`)).toBe('');
  });
});

test("a name is the client's own, with the version that it reported", () => {
  expect(clientName('Claude Code', '2.1.330')).toBe('Claude Code 2.1');
  expect(clientName('Claude Code', undefined)).toBe('Claude Code');
  expect(clientName('Gemini 0.61', '0.61.0-nightly')).toBe('Gemini 0.61');
  expect(clientName('Claude\u202E\nCode', { toString: 'no' })).toBe('Claude Code');
  expect(clientName('', '1.0')).toBe('An application without a name 1.0');
  expect([...clientName('é'.repeat(500), '1.0')]).toHaveLength(84);
});

test('two clients of one name are distinguished', () => {
  const clients = [{ name: 'Codex' }, { name: 'Claude' }, { name: 'Codex' }];
  expect([...distinctNames(clients, ({ name }) => name).values()]).toEqual(['Codex', 'Claude', 'Codex (2)']);
});
