import { expect, test } from 'vitest';
import { addressEntryProblem, readAddressEntry } from './allowed-addresses.ts';
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

const publicUrl = 'https://shop.example';
const forAdministrators = (url: string) =>
  createUpstreamAddressRule({ production: true, allowAddresses, publicUrl, administratorsMayAllow: true })(
    new URL(url),
  );

test.each([
  ['http://10.0.0.6:8080/mcp', '10.0.0.6:8080'],
  ['https://tools.internal/', 'tools.internal:443'],
])('if administrators may allow %s, the refusal leads to the Allow List', (url, place) => {
  expect(forAdministrators(url)).toBe(
    `must be a public address, or one that is allowed: an administrator adds ${place} under Allow List, or the operator sets UPSTREAM_ALLOW_ADDRESSES=${place}`,
  );
});

const ofCloud = 'must be a public address: clouds give out the credentials of this machine there';
const ofShop = 'is the address of this shop itself';
test.each([
  [
    'http://127.0.0.1:8080/mcp',
    'must be a public address, or one that the operator allows (UPSTREAM_ALLOW_ADDRESSES=127.0.0.1:8080)',
  ],
  ['http://169.254.169.254/', ofCloud],
  ['http://169.254.170.2/v2', ofCloud],
  ['http://[fd00:ec2::254]/', ofCloud],
  ['http://[::ffff:169.254.169.254]/', ofCloud],
  ['http://metadata.google.internal/', ofCloud],
  ['https://shop.example/mcp', ofShop],
  ['https://shop.example/s/notes/mcp', ofShop],
  ['https://SHOP.example.:443/mcp/notes', ofShop],
  ['wss://shop.example/', ofShop],
  ['https://shop.example/v0.1/servers', ofShop],
])('no administrator may allow %s', (url, text) => expect(forAdministrators(url)).toBe(text));

test("an address that a proxy serves on the shop's host is not the shop", () => {
  expect(forAdministrators('https://shop.example/tools/mcp')).toBeUndefined();
  expect(forAdministrators('https://shop.example:8443/mcp')).toBeUndefined();
});

test('outside production plain http to a public address needs no permission', () => {
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

test('the entries suggested to an administrator have a port and are small', () => {
  const text = String(readAddressEntry('foo'));
  const [, given = ''] = text.split('for example ');
  const examples = given.split(/, | or /);
  expect(examples).toHaveLength(5);
  const read = examples.map(readAddressEntry);
  expect(read).toEqual(examples.map(() => expect.objectContaining({ port: 8080 })));
  const networks = read.flatMap((one) => (typeof one === 'object' && 'prefix' in one ? [one.prefix] : []));
  expect(networks, 'of 256 addresses').toEqual([24, 120]);
  expect(addressEntryProblem('foo'), 'the operator may write more').toContain('10.0.0.0/8, ');
});
