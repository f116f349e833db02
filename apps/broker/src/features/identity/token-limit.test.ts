import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnDatabases('personal access tokens of one user', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());

  async function personOf(email: string) {
    const { accessToken } = await new ScriptedBrowser(running.publicUrl).signInWeb({ email });
    const send = (method: string, path: string, body?: object) =>
      fetch(running.publicUrl + path, {
        method,
        headers: { authorization: `Bearer ${accessToken}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
    return { send, create: () => send('POST', '/auth/pat/create', { name: 'one of many' }) };
  }

  test('are at most fifty, also when several are created concurrently; a revoked one makes room', async () => {
    const [ann, bob] = [await personOf('ann@souk.test'), await personOf('bob@souk.test')];
    const made: Record<string, string>[] = [];
    for (let count = 0; count < 45; count++) made.push((await (await ann.create()).json()) as Record<string, string>);
    const last = await Promise.all(Array.from({ length: 40 }, ann.create));
    expect(last.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(last.filter(({ status }) => status === 409)).toHaveLength(35);
    const refused = await ann.create();
    const message = 'You have 50 access tokens. Revoke one that you no longer use, and try again.';
    expect(await refused.json()).toMatchObject({ success: false, code: 'pat_too_many', message, error: message });
    expect((await bob.create()).status).toBe(200);
    expect((await ann.send('DELETE', `/auth/pat/${made[0]?.['id']}`)).status).toBe(200);
    expect((await ann.create()).status).toBe(200);
  });
});
