import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { createAddressGuard, isPublicAddress, RefusedAddressError } from './address-guard.ts';
import { createGuardedDispatcher } from './guarded-fetch.ts';
import { createOutgoing } from './outgoing.ts';

describe('isPublicAddress', () => {
  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.1',
    '192.167.1.1',
    '2606:4700::1111',
    '2a00:1450:4001::8a',
  ])('%s is', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('a guarded dispatcher', () => {
  let server: Server;
  let port: number;
  let close: () => Promise<void>;
  let contacted = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      contacted++;
      response.end('inside');
    });
    ({ port, close } = await listenLocally(server));
  });
  afterAll(() => close());

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '017700000001',
    '127.1',
    '0',
    '0.0.0.0',
    '１２７.０.０.１',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::1]',
    '[::]',
    'localhost',
    'LOCALHOST',
  ])('bad input 28: http://%s never reaches this machine', async (host) => {
    const dispatcher = createGuardedDispatcher({ allowAddresses: [], connectTimeoutMs: 60_000 });
    const before = contacted;
    const failure = await request(`http://${host}:${port}/`, { dispatcher }).then(
      () => undefined,
      (error: unknown) => error,
    );
    await dispatcher.destroy();
    expect(failure).toBeInstanceOf(RefusedAddressError);
    expect(contacted).toBe(before);
  });

  test.each([
    ['127.0.0.1', () => `127.0.0.1:${port}`],
    ['localhost', () => `localhost:${port}`],
  ])('%s passes if exactly this address is allow-listed', async (host, allowed) => {
    const dispatcher = createGuardedDispatcher({ allowAddresses: [allowed()] });
    const answer = await request(`http://${host}:${port}/`, { dispatcher });
    expect(await answer.body.text()).toBe('inside');
    await dispatcher.destroy();
  });

  test('another port of an allow-listed host does not pass', async () => {
    const dispatcher = createGuardedDispatcher({ allowAddresses: [`127.0.0.1:${port + 1}`, `localhost:${port}`] });
    await expect(request(`http://127.0.0.1:${port}/`, { dispatcher })).rejects.toBeInstanceOf(RefusedAddressError);
    await dispatcher.destroy();
  });

  test.each([
    ['127.0.0.2', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.2', '127.0.0.3', '127.0.0.1'],
  ])('a name is refused if any of its addresses is refused: %s, %s', async (...addresses) => {
    const outgoing = createOutgoing(undefined, (_name, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
    );
    // only the last of the machine's addresses is listened on: a failed connection tries the name's next address
    const ask = async (...allowAddresses: string[]) => {
      const dispatcher = createGuardedDispatcher({ allowAddresses, outgoing });
      const answer = await request(`http://many.test:${port}/`, { dispatcher }).catch((error: unknown) => error);
      await dispatcher.destroy();
      return answer;
    };
    const before = contacted;
    expect(await ask('127.0.0.2/31')).toBeInstanceOf(RefusedAddressError);
    expect(contacted).toBe(before);
    expect(await ask('127.0.0.2/31', '127.0.0.1/32')).toMatchObject({ statusCode: 200 });
  });

  test('a public literal is allowed', () => {
    expect(() => createAddressGuard([]).checkLiteral({ host: '1.1.1.1', port: 443, tls: true })).not.toThrow();
    expect(() =>
      createAddressGuard([]).checkLiteral({ host: '[2606:4700::1111]', port: 443, tls: true }),
    ).not.toThrow();
  });

  test.each([
    ['a network', '127.0.0.1', () => '127.0.0.0/8'],
    ['a network and port', '127.0.0.1', () => `127.0.0.0/8:${port}`],
    ['a network, for an address that a name resolves to', 'localhost', () => `127.0.0.0/8:${port}`],
    ['a literal in another spelling', '127.0.0.1', () => `0x7f.1:${port}`],
    ['a name in capitals', 'localhost', () => `LOCALHOST:${port}`],
  ])('%s allows %s', async (_, host, allowed) => {
    const dispatcher = createGuardedDispatcher({ allowAddresses: [allowed(), '::1/128'] });
    const answer = await request(`http://${host}:${port}/`, { dispatcher });
    expect(await answer.body.text()).toBe('inside');
    await dispatcher.destroy();
  });

  test.each([
    ['another network', '127.0.0.1', () => '10.0.0.0/8'],
    ['another port of the network', '127.0.0.1', () => `127.0.0.0/8:${port + 1}`],
    ['the IPv4 address in IPv6 form', '[::ffff:127.0.0.1]', () => '127.0.0.0/8'],
    ['the IPv4 address in IPv6 form, of an IPv6 network', '[::ffff:127.0.0.1]', () => '::/1'],
    ['the address of a name that is allowed', '127.0.0.1', () => `localhost:${port}`],
    ['a name for an address that is allowed', 'localhost', () => `127.0.0.1:${port}`],
    ['an entry without a port', '127.0.0.1', () => '127.0.0.1'],
  ])('%s does not pass', async (_, host, allowed) => {
    const dispatcher = createGuardedDispatcher({ allowAddresses: [allowed()] });
    await expect(request(`http://${host}:${port}/`, { dispatcher })).rejects.toBeInstanceOf(RefusedAddressError);
    await dispatcher.destroy();
  });

  test('the refusal says how an operator allows the address', () => {
    const refusal = new RefusedAddressError('fd00::5', 8080, 'is not a public address');
    const literal = () => createAddressGuard([]).checkLiteral({ host: '[fd00::5]', port: 8080, tls: false });
    expect(literal).toThrow(refusal);
    expect(refusal.remedy).toBe('To allow it, add [fd00::5]:8080 to UPSTREAM_ALLOW_ADDRESSES.');
  });

  test('if public addresses need TLS, plain http reaches only allowed addresses', async () => {
    const guard = createAddressGuard(['10.0.0.0/8', '9.9.9.9:80'], { publicNeedsTls: true });
    const check = (host: string, port: number, tls: boolean) => () => guard.checkLiteral({ host, port, tls });
    expect(check('1.1.1.1', 443, true)).not.toThrow();
    expect(check('1.1.1.1', 80, false)).toThrow('1.1.1.1:80 must be reached with https or wss');
    expect(check('9.9.9.9', 80, false)).not.toThrow();
    expect(check('10.1.2.3', 8080, false)).not.toThrow();
  });
});
