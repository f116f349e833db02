import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeSignInAllow, maySignIn, readSignInAllow } from './sign-in-allow.ts';

const noProblem: string[] = [];
const allow = readSignInAllow(['Acme.example', '@bücher.example', 'Bob@Other.example'], noProblem);

test.each([
  'ana@acme.example',
  'ANA@ACME.EXAMPLE',
  'ana@bücher.example',
  'ana@xn--bcher-kva.example',
  'bob@other.example',
  'BOB@OTHER.EXAMPLE',
])('%s may sign in', (email) => {
  expect(noProblem).toEqual([]);
  expect(maySignIn(allow, email)).toBe(true);
});

test.each([
  'ana@sub.acme.example',
  'ana@evilacme.example',
  'ana@acme.example.evil.test',
  'ana@evil.test@acme.example',
  'ana@acme.example@evil.test',
  '"ana@acme.example"@evil.test',
  'acme.example',
  '@acme.example',
  'ana@',
  'ana@acme.example ',
  'ana@acme.example\u0000',
  'alice@other.example',
  'xbob@other.example',
  'bob@sub.other.example',
  '',
])('%j may not', (email) => {
  expect(maySignIn(allow, email)).toBe(false);
});

test('a domain lets exactly the addresses behind one @ of exactly it in', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (local, domain) => {
      const isTheirs = local !== '' && !local.includes('@') && domain.toLowerCase() === 'acme.example';
      const email = `${local}@${domain}`;
      // what IDNA maps to the domain is the domain, such as full-width letters
      const isSpelledOtherwise = () => domainToASCII(domain) === 'acme.example';
      const isLetIn = maySignIn(readSignInAllow(['acme.example'], []), email);
      expect(isLetIn === isTheirs || isSpelledOtherwise()).toBe(true);
    }),
  );
});

test('without a list everyone may, and that is said', () => {
  expect(maySignIn(undefined, 'anyone@anywhere.test')).toBe(true);
  expect(describeSignInAllow(undefined)).toContain('everyone');
  expect(describeSignInAllow(allow)).toBe('acme.example, xn--bcher-kva.example, bob@other.example');
});

test.each(['*.acme.example', '.acme.example', 'acme', 'a@b@c.example', 'ana@', 'https://acme.example', '@'])(
  'the entry %s is neither a domain nor an address',
  (entry) => {
    const problems: string[] = [];
    const read = readSignInAllow([entry], problems);
    expect(problems).toEqual([expect.stringContaining(`SIGN_IN_ALLOW: ${entry} is neither`)]);
    expect(read).toEqual({ domains: new Set(), addresses: new Set() });
  },
);
