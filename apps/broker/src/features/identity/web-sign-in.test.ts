import { expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases.ts';
import { ScriptedBrowser, readTokens } from '#testing/scripted-browser.ts';
import { identityMigrations } from './migrations.ts';
import { startIdentity } from './testing/start-identity.ts';

describeOnDatabases('the web app signs in', identityMigrations, (open) => {
  test('with a code, a verifier of 128 characters and S256, and gets the profile', async () => {
    await using(open, async ({ publicUrl }) => {
      const browser = new ScriptedBrowser(publicUrl);
      const tokens = await browser.signInWeb({ email: 'Carl@souk.test' });
      expect(tokens.expiresIn).toBe(600);
      const profile = await fetch(`${publicUrl}/v2/user/profile`, {
        headers: { authorization: `Bearer ${tokens.accessToken}` },
      });
      expect(await profile.json()).toMatchObject({
        email: 'carl@souk.test',
        displayName: 'Carl Coder',
        photoURL: null,
        provider: 'dev',
        planId: 'free',
        disabledServers: [],
        role: 'user',
      });
      expect(browser.trail.some((step) => step.includes('/dev-google/choose/'))).toBe(true);
      expect(browser.cookie('souk_refresh')).toBeTypeOf('string');
      expect(
        readTokens(
          await (await browser.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' })).json(),
        ).accessToken,
      ).toBeTypeOf('string');
    });
  });
});

async function using(
  open: Parameters<Parameters<typeof describeOnDatabases>[2]>[0],
  work: (running: Awaited<ReturnType<typeof startIdentity>>) => Promise<void>,
) {
  const running = await startIdentity({ db: await open() });
  try {
    await work(running);
  } finally {
    await running.close();
  }
}
