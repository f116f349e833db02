import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { migrations } from '../../migrations.ts';
import { companyClient, startCompanyProvider, type CompanyProvider } from './testing/company-provider.ts';
import { ProviderBrowser } from './testing/provider-browser.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

/** Addresses other than kate@acme.test that some ways of case folding make equal to it. */
const lookalikes = [
  ['the Kelvin sign', '\u212Aate@acme.test'],
  ['full-width letters', '\uFF4Bate@acme.test'],
  ['a full-width letter in the domain', 'kate@\uFF41cme.test'],
  ['the Kelvin sign in the domain of an address', 'kim@\u212Aate.test'],
] as const;

describeOnDatabases('addresses are folded in ASCII only', migrations, (open) => {
  let company: CompanyProvider;
  let running: RunningIdentity;
  let port: number;
  let db: Awaited<ReturnType<typeof open>>;
  const environment = () => ({
    OIDC_ISSUER: company.issuer,
    OIDC_CLIENT_ID: companyClient.clientId,
    OIDC_CLIENT_SECRET: companyClient.clientSecret,
    ADMIN_EMAILS: 'KATE@acme.test,kim@kate.test',
  });
  const start = async (more: NodeJS.ProcessEnv = {}) => {
    running = await startIdentity({ db, listenPort: port, environment: { ...environment(), ...more } });
  };
  beforeAll(async () => {
    port = await freePort();
    company = await startCompanyProvider([`http://localhost:${port}/auth/oidc/callback`]);
  });
  beforeEach(async () => {
    db = await open();
  });
  afterEach(() => running.close());
  afterAll(() => company.close());

  async function signIn(sub: string, email: string): Promise<{ id: string; email: string; role: string }> {
    company.person = { sub, email, name: 'Kate', email_verified: true };
    const { accessToken } = await new ProviderBrowser(running.publicUrl, company.issuer).signInWeb({
      provider: 'oidc',
    });
    const answer = await fetch(`${running.publicUrl}/v2/user/profile`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    return JSON.parse(await answer.text());
  }

  test('an address with other letters is kept unchanged, and makes no user an administrator', async () => {
    await start();
    const kate = await signIn('kate', 'Kate@ACME.test');
    expect(kate).toMatchObject({ email: 'kate@acme.test', role: 'admin' });
    for (const [what, email] of lookalikes) {
      expect(await signIn(what, email), what).toMatchObject({ email, role: 'user' });
    }
    const { users, total } = await running.identity.directory.list({ page: 1, limit: 10, role: 'admin' });
    expect([users.map(({ id }) => id), total]).toEqual([[kate.id], 1]);
    const people = await running.identity.directory.list({ page: 1, limit: 10, role: 'user' });
    expect(people.total).toBe(lookalikes.length);
  });

  test('an address that the operator or an administrator gives reaches only its own account', async () => {
    await start();
    const { users, createPersonalToken } = running.identity;
    const [kate, stranger] = [await signIn('kate', 'kate@acme.test'), await signIn('kelvin', '\u212Aate@acme.test')];
    expect((await users.find('KATE@acme.test')).map(({ id }) => id)).toEqual([kate.id]);
    const { id: tokenId } = await createPersonalToken({ email: 'Kate@acme.test', provider: 'oidc', name: 'of Kate' });
    const { rows } = await db.query(`select user_id from personal_tokens where id = $1`, [tokenId]);
    expect(rows).toEqual([{ user_id: kate.id }]);

    await users.activate(kate.id, { operator: 'root' });
    const how = { endNow: false, confirmAdministrator: true };
    await users.deactivate(kate.id, how, { operator: 'root', reason: 'asked by kate@acme.test and KATE@acme.test' });
    const by = { operator: 'root', reason: 'Asked by \u212AATE@acme.test, not by kate@acme.test.' };
    await expect(users.erase(stranger.id, 'kate@acme.test', by)).rejects.toMatchObject({
      code: 'account_not_confirmed',
    });
    await users.erase(stranger.id, ' \u212Aate@ACME.test', by);
    const reasons = await db.query<{ reason: string }>(
      'select reason from audit_log where reason is not null order by id',
    );
    expect(reasons.rows.map(({ reason }) => reason)).toEqual([
      'asked by kate@acme.test and KATE@acme.test',
      'Asked by [erased], not by kate@acme.test.',
    ]);
    await users.erase(kate.id, 'KATE@acme.test', { operator: 'root' });
    const after = await db.query<{ reason: string }>(
      'select reason from audit_log where reason is not null order by id',
    );
    expect(after.rows.map(({ reason }) => reason)).toEqual([
      'asked by [erased] and [erased]',
      'Asked by [erased], not by [erased].',
    ]);
  });

  test.each(['kate@acme.test, kim@kate.test', 'acme.test, kate.test'])(
    'SIGN_IN_ALLOW=%s lets none of them in',
    async (allow) => {
      await start({ SIGN_IN_ALLOW: allow });
      expect(await signIn('kim', 'KIM@Kate.TEST')).toMatchObject({ email: 'kim@kate.test', role: 'admin' });
      const named = allow.startsWith('kate@') ? lookalikes : lookalikes.slice(2);
      for (const [what, email] of named)
        await expect(signIn(what, email), what).rejects.toThrow('has not let this address in');
    },
  );
});
