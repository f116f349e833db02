import { expect, test } from 'vitest';
import { addressEntryProblem } from './allowed-addresses.ts';
import { createUpstreamAddressRule } from './upstream-address-rule.ts';

const allowAddresses = ['10.0.0.5:8080', 'mcp:80', '[fd00::5]:8080', '192.168.0.0/16:9000'];
const problem = (url: string, production = true) =>
  createUpstreamAddressRule({ production, allowAddresses })(new URL(url));

test.each([
  'http://10.0.0.5:8080/mcp',
  'https://10.0.0.5:8080/mcp',
  'ws://10.0.0.5:8080/mcp',
  'http://mcp/mcp',
  'http://[fd00::5]:8080/',
  'http://192.168.7.7:9000/',
  // it may resolve into 192.168.0.0/16: the guard decides
  'http://tools.internal:9000/',
  'https://public.example/mcp',
])('in production %s may be named', (url) => expect(problem(url)).toBeUndefined());

test.each([
  ['http://10.0.0.5:8081/mcp', '10.0.0.5:8081'],
  ['http://10.0.0.6:8080/mcp', '10.0.0.6:8080'],
  ['http://0x0a000006:8080/mcp', '10.0.0.6:8080'],
  ['http://[::ffff:192.168.7.7]:9000/', '[::ffff:c0a8:707]:9000'],
  ['https://tools.internal/', 'tools.internal:443'],
  ['http://public.example/mcp', 'public.example:80'],
])('in production %s is refused, and the refusal names the variable', (url, place) => {
  expect(problem(url)).toContain(`UPSTREAM_ALLOW_ADDRESSES=${place}`);
});

test('outside production plain http to a public address needs nothing', () => {
  expect(problem('http://public.example/mcp', false)).toBeUndefined();
  expect(problem('http://10.0.0.6:8080/mcp', false)).toContain('must be a public address');
});

test.each([
  ['10.0.0.5', 'has no port'],
  ['fd00::5', 'has no port'],
  ['fd00::5:8080:', 'has no port'],
  ['mcp.internal', 'has no port'],
  ['10.0.0.5:0', 'has no port from 1 to 65535'],
  ['10.0.0.5:99999', 'has no port from 1 to 65535'],
  ['1:2:3:4:5:6:7:8:80', 'needs brackets'],
  ['user@mcp:80', 'is not a host and port'],
  ['http://mcp:80', 'is not a network'],
  ['0.0.0.0/0', 'must have a prefix from 1 to 32'],
  ['fd00::/129', 'must have a prefix from 1 to 128'],
  ['10.0.0.0/8:x', 'is not a network'],
  ['10.0.0.0/8:70000', 'has no port from 1 to 65535'],
  ['x'.repeat(400), 'is too long'],
])('the entry %s is refused: it %s', (entry, expected) => expect(addressEntryProblem(entry)).toContain(expected));
