import { describe, expect, test } from 'vitest';
import { problemsOf } from '#testing/config-problems.ts';
import { readConfig } from '../config.ts';

describe('the outgoing proxy', () => {
  test('is read with its credentials separately, the lower-case names first, as other programs do', () => {
    const proxy = readConfig({
      HTTPS_PROXY: 'http://other.test:1',
      https_proxy: 'http://me%40acme:p%3Ass@proxy.test:3128/',
      HTTP_PROXY: 'https://plain.test',
      no_proxy: '.acme.test, 10.0.0.0/8 sso.test',
    }).outgoingProxy;
    expect(proxy).toMatchObject({
      https: {
        url: 'http://proxy.test:3128',
        authorization: `Basic ${Buffer.from('me@acme:p:ss').toString('base64')}`,
      },
      http: { url: 'https://plain.test', authorization: undefined },
      noProxy: ['.acme.test', '10.0.0.0/8', 'sso.test'],
    });
  });

  test('is unset if only NO_PROXY is set', () => {
    expect(readConfig({ NO_PROXY: 'x.test', HTTPS_PROXY: ' ' }).outgoingProxy).toBeUndefined();
  });

  test.each([
    'proxy.test:3128',
    'socks5://proxy.test/',
    'ftp://proxy.test',
    'http://',
    'http://proxy.test/path',
    'http://proxy.test?a',
    'http://a:%zz@proxy.test',
  ])('%s is not a proxy, and the problem does not show it', (address) => {
    expect(problemsOf({ HTTPS_PROXY: address })).toEqual([
      'HTTPS_PROXY must be the http or https address of a proxy, such as http://proxy.example:3128',
    ]);
  });
});
