import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { ScriptedBrowser, readTokens } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeOnPostgres('signing keys', migrations, (open) => {
  let db: Database;
  let running: RunningIdentity;
  let replica: RunningIdentity;
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs };
  beforeAll(async () => {
    db = await open();
    running = await startIdentity({ db, clock });
    replica = await startIdentity({ db, clock, publicUrl: running.publicUrl });
  });
  afterAll(async () => {
    await replica.close();
    await running.close();
  });

  const signIn = () => new ScriptedBrowser(running.publicUrl).signInMcpClient();
  const publishedBy = async ({ app }: RunningIdentity): Promise<string[]> => {
    const answer = await app.inject({ url: '/oauth/jwks', headers: { host: new URL(running.publicUrl).host } });
    const { keys }: { keys: { kid: string; d?: string }[] } = JSON.parse(answer.payload);
    expect(keys.every(({ d }) => d === undefined)).toBe(true);
    return keys.map(({ kid }) => kid);
  };
  const callAt = async ({ app }: RunningIdentity, token: string): Promise<number> => {
    const headers = { host: new URL(running.publicUrl).host, authorization: `Bearer ${token}` };
    return (await app.inject({ method: 'POST', url: '/mcp', headers })).statusCode;
  };
  const keyOf = (token: string) => decodeProtectedHeader(token).kid ?? '';

  describe('a sequence of keys', { shuffle: false }, () => {
    test('next, current, retired, deleted: each token is valid for as long as its key is published, on both replicas', async () => {
      // The next key exists from the start, so that it is published long before it signs.
      await Promise.all([running.identity.rotateKeys(), replica.identity.rotateKeys()]);
      const first = await signIn();
      const [current = '', next = '', ...others] = await publishedBy(running);
      expect(others).toEqual([]);
      expect(keyOf(first.accessToken)).toBe(current);
      await waitUntil(
        'the other replica publishes the next key',
        async () => (await publishedBy(replica)).length === 2,
      );

      aheadMs = 89 * dayMs;
      await running.identity.rotateKeys();
      expect(await publishedBy(running)).toEqual([current, next]);

      aheadMs = 91 * dayMs;
      await running.identity.rotateKeys();
      await waitUntil('the other replica is notified', async () => (await publishedBy(replica)).length === 3);
      const second = await signIn();
      expect(keyOf(second.accessToken)).toBe(next);
      for (const one of [running, replica]) {
        expect(await callAt(one, first.accessToken)).toBe(200);
        expect(await callAt(one, second.accessToken)).toBe(200);
      }

      aheadMs += 2 * hourMs;
      await replica.identity.rotateKeys();
      await waitUntil('the first one is notified', async () => !(await publishedBy(running)).includes(current));
      for (const one of [running, replica]) {
        expect(await callAt(one, first.accessToken)).toBe(401);
        expect(await callAt(one, second.accessToken)).toBe(200);
      }
      const refreshed = await fetch(`${running.publicUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: first.clientId,
          refresh_token: first.refreshToken,
        }),
      });
      expect(keyOf(readTokens(await refreshed.json()).accessToken)).toBe(next);
    });

    test('replicas that rotate at the same moment rotate the keys once', async () => {
      aheadMs += 91 * dayMs;
      const before = await publishedBy(running);
      await Promise.all(
        Array.from({ length: 3 }, () => [running, replica].map(({ identity }) => identity.rotateKeys())).flat(),
      );
      const { rows } = await db.query<{ state: string }>(
        `select state from signing_keys where purpose = 'tokens' order by state`,
      );
      expect(rows.map(({ state }) => state)).toEqual(['current', 'next', 'retired']);
      // the replica that did not rotate them is notified
      await waitUntil('it signs with the next one', async () => (await publishedBy(running))[0] === before[1]);
    });
  });
});
