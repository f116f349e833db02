import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { upstreamContributor } from './account-contributor.ts';
import { startOAuthFixture, type OAuthFixture } from './sign-in/testing/oauth-fixture.ts';
import { signInPerson } from './sign-in/testing/person.ts';

let fixture: OAuthFixture;
let app: TestApp;
beforeAll(async () => {
  fixture = await startOAuthFixture();
  app = await startTestApp({ allowAddresses: [fixture.address] });
  await deployManifest(app, { id: 'vault', connection: { type: 'http', url: fixture.url }, auth: { type: 'oauth' } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

test("an export contains a user's switches and accounts without a secret, and a deletion removes all of them", async () => {
  const [ann, bob] = [
    await signInPerson(app.publicUrl, 'ann@souk.test'),
    await signInPerson(app.publicUrl, 'bob@souk.test'),
  ];
  for (const person of [ann, bob]) {
    const { body } = await person.call('POST', '/mcp/vault/enable');
    const back = await fixture.allow(String(body['authUrl']));
    await person.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
    await person.call('POST', '/mcp/vault/disable');
    await person.call('POST', `/api/users/${person.userId}/upstream-connections/vault/sign-in`);
  }
  const contributor = upstreamContributor(app.db);
  const told = await contributor.export(ann.userId);
  expect(told).toMatchObject({
    disabledServers: [{ serverId: 'vault' }],
    upstreamConnections: [{ serverId: 'vault', kind: 'oauth', state: 'signed-in' }],
  });
  expect(JSON.stringify(told)).not.toMatch(/access-|refresh-|sealed|v1\./);

  await app.db.transaction((query) => contributor.erase(ann.userId, query, 'ann@example.test'));
  const left = async (userId: string) => {
    const tables = ['user_server_prefs', 'upstream_sign_ins', 'upstream_connections'];
    const counts = tables.map((table) => app.db.query(`select 1 from ${table} where user_id = $1`, [userId]));
    return (await Promise.all(counts)).map(({ rows }) => rows.length);
  };
  expect(await left(ann.userId)).toEqual([0, 0, 0]);
  expect(await left(bob.userId)).toEqual([1, 1, 1]);
});
