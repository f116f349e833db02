import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnEmbedded('reaping', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());

  const register = async (name: string) => {
    const answer = await fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: name, redirect_uris: ['https://app.example/cb'] }),
    });
    expect(answer.status).toBe(201);
  };
  const clients = async () => {
    const { rows } = await running.db.query<{ name: string }>(
      `select payload->>'client_name' as name from oauth_records where model = 'Client' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const age = (days: number) =>
    running.db.query(`update oauth_records set created_at = created_at - make_interval(days => $1)`, [days]);

  test('expired records, unused clients and orphans are deleted; records in use stay', async () => {
    const { db, identity, publicUrl } = running;
    await register('Never used');
    await register('Comes back');
    const used = await new ScriptedBrowser(publicUrl).signInMcpClient({ clientName: 'Used' });
    const ended = await new ScriptedBrowser(publicUrl).signInMcpClient({ clientName: 'Ended' });
    await age(15);
    await register('Comes back');
    await db.query(
      `update oauth_records set expires_at = now() - interval '1 second' where payload->>'clientId' = $1`,
      [ended.clientId],
    );
    const counts = await Promise.all([identity.reap(), identity.reap(), identity.reap()]);
    expect(counts.some((count) => count > 0)).toBe(true);
    expect(await clients()).toEqual(['Comes back', 'Used']);
    const { rows } = await db.query(`select 1 from oauth_records where payload->>'clientId' = $1`, [ended.clientId]);
    expect(rows).toEqual([]);
    const authorizations = await db.query(`select client_id from authorizations`);
    expect(authorizations.rows).toEqual([{ client_id: used.clientId }]);
    const answer = await fetch(`${publicUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${used.accessToken}` },
    });
    expect(answer.status).toBe(200);
  });
});
