import { expect, test } from 'vitest';
import { toUpstreamError } from './translate-error.ts';

/** Builds an error as fetch does: the TLS error is its cause. */
const failed = (code: string) =>
  toUpstreamError(new TypeError('fetch failed', { cause: Object.assign(new Error('tls'), { code }) }));

test.each([
  ['CERT_HAS_EXPIRED', 'its certificate has expired (CERT_HAS_EXPIRED): its owner must renew it'],
  [
    'CERT_NOT_YET_VALID',
    'its certificate is not valid yet (CERT_NOT_YET_VALID): its clock or the clock of this machine may be wrong',
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'its certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID): the address in the manifest or the certificate must change',
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'its certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN): NODE_EXTRA_CA_CERTS names a file of authorities to trust',
  ],
])('a certificate with %s makes the server unreachable, and the error says what helps', (code, message) => {
  expect(failed(code)).toMatchObject({ kind: 'unreachable', message });
});
