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
  // letters that other foldings change
  'bob@other.\uFF45xample',
  '\uFF42ob@other.example',
  'ana@\uFF41cme.example',
  'ana@b\u00DCcher.example',
])('%j may not', (email) => {
  expect(maySignIn(allow, email)).toBe(false);
});

test('a domain allows exactly the addresses with one @ followed by exactly that domain', () => {
  // IDNA maps each of these to the domain
  const mapped = [
    '\uFF41cme.example',
    'acme\u3002example',
    'acme.examp\u217Ce',
    'ac\u00ADme.example',
    'ACME.EXAMPL\u212F',
  ];
  const domains = fc.oneof(fc.string(), fc.constantFrom('acme.example', 'ACME.Example', ...mapped));
  fc.assert(
    fc.property(fc.string(), domains, (local, domain) => {
      const isTheirs = local !== '' && !local.includes('@') && domain.toLowerCase() === 'acme.example';
      expect(maySignIn(readSignInAllow(['acme.example'], []), `${local}@${domain}`)).toBe(isTheirs);
    }),
  );
});

test('without a list everyone may sign in, and the text says so', () => {
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
