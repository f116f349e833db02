import { expect, test } from 'vitest';
import type { Binding } from './tokens/oauth-client.ts';
import { readTokenAnswer } from './tokens/token-answer.ts';
import { accountNameOf } from './tokens/tokens.ts';

const issuer = 'https://vault.test';
const clientId = 'souk';

/** Returns the account name that a user sees for these claims of the server's identity token. */
function accountNamed(said: Record<string, unknown>): string | undefined {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: 'ann', iss: issuer, aud: clientId, ...said };
  const id_token = `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
  const { issued } = readTokenAnswer(JSON.stringify({ access_token: 'a', id_token }));
  if (!issued) throw new Error('nothing was issued');
  // why the cast: only these two decide whom the tokens belong to
  return accountNameOf(issued, { server: { issuer }, client: { clientId } } as Binding);
}

test.each([
  ['an address', { email: 'Ann@Vault.test', name: 'Ann' }, 'Ann@Vault.test'],
  ['NUL, a line break and an override', { email: 'ann\0\n@vault\u202E.test' }, 'ann @vault .test'],
  ['an invisible one before a visible one', { email: '\u200B', preferred_username: '', name: 'Ann' }, 'Ann'],
  ['no text', { email: 7, preferred_username: null, name: ['Ann'] }, undefined],
  ['no visible characters', { email: ' \u202E\0 ' }, undefined],
  ['a long one', { name: 'n'.repeat(50_000) }, 'n'.repeat(200)],
  ['issued for another client', { email: 'ann@vault.test', aud: 'another' }, undefined],
  ['issued by another issuer', { email: 'ann@vault.test', iss: 'https://another.test' }, undefined],
])('an account whose name at the service is %s', (_what, said, shown) => {
  expect(accountNamed(said)).toBe(shown);
});
