import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAt, startVault, type Vault } from './testing/vault.ts';

let vault: Vault;
beforeAll(async () => {
  vault = await startVault();
});
afterAll(() => vault?.close());

/** The name that Ann sees for her account, once the server has said this of her in its identity token. */
async function accountNamed(said: Record<string, unknown>): Promise<unknown> {
  const { fixture, ann } = vault;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  fixture.mischief = {
    tokens: (honest) => {
      const iat = Math.floor(Date.now() / 1000);
      const aud = fixture.tokenRequests.at(-1)?.get('client_id');
      const claims = { sub: 'ann', iss: fixture.origin, aud, iat, exp: iat + 300, ...said };
      return { ...honest, id_token: `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl` };
    },
  };
  await signInAt(ann, fixture);
  const { body } = await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`);
  return Object(body['connections']).find(({ serverId }: { serverId: string }) => serverId === 'vault').account;
}

test.each([
  ['an address', { email: 'Ann@Vault.test', name: 'Ann' }, 'Ann@Vault.test'],
  ['NUL, a line and an override', { email: 'ann\0\n@vault\u202E.test' }, 'ann @vault .test'],
  ['one that cannot be seen before one that can', { email: '\u200B', preferred_username: '', name: 'Ann' }, 'Ann'],
  ['no text', { email: 7, preferred_username: null, name: ['Ann'] }, undefined],
  ['nothing that can be seen', { email: ' \u202E\0 ' }, undefined],
  ['a long one', { name: 'n'.repeat(50_000) }, 'n'.repeat(200)],
])('an account whose name at the service is %s', async (_what, said, shown) => {
  expect(await accountNamed(said)).toBe(shown);
});
