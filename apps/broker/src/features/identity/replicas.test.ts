import { createServer, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { ScriptedBrowser, readTokens } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { freePort } from '#testing/network/free-port.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnPostgres('two replicas behind one address', migrations, (open) => {
  let db: Database;
  let replicas: RunningIdentity[];
  let publicUrl: string;
  let balancer: { port: number; close(): Promise<void> };
  beforeAll(async () => {
    db = await open();
    const ports = await Promise.all([freePort(), freePort()]);
    let turn = 0;
    // Alternates the requests between the replicas.
    const server = createServer((incoming, outgoing) => {
      turn += 1;
      const forwarded = httpRequest(
        {
          host: '127.0.0.1',
          port: ports[turn % 2],
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(forwarded);
    });
    balancer = await listenLocally(server);
    publicUrl = `http://localhost:${balancer.port}`;
    // Both start at the same moment on an empty database: they must agree on their keys.
    replicas = await Promise.all(ports.map((listenPort) => startIdentity({ db, publicUrl, listenPort })));
  });
  afterAll(async () => {
    await balancer.close();
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  test('a sign-in, its code, its tokens and its refreshes may each reach either replica', async () => {
    const browser = new ScriptedBrowser(publicUrl);
    const tokens = await browser.signInWeb({ email: 'carl@souk.test' });
    const profile = () =>
      fetch(`${publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${tokens.accessToken}` } });
    expect((await Promise.all([profile(), profile()])).map((answer) => answer.status)).toEqual([200, 200]);
    for (let n = 0; n < 3; n++) {
      const answer = await browser.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' });
      expect(readTokens(await answer.json()).expiresIn).toBe(600);
    }
    const client = await new ScriptedBrowser(publicUrl).signInMcpClient();
    expect(client.accessToken).toMatch(/^eyJ/);
  });

  test('six concurrent refreshes over both replicas get the same successor, and one token chain stays', async () => {
    const client = await new ScriptedBrowser(publicUrl).signInMcpClient({ clientName: 'Six windows' });
    const refresh = (refreshToken: string) =>
      fetch(`${publicUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: client.clientId,
          refresh_token: refreshToken,
        }),
      });
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(client.refreshToken)));
    const tokens = await Promise.all(answers.map(async (answer) => readTokens(await answer.json())));
    expect(new Set(tokens.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    const unused = () =>
      db.query<{ grant_id: string }>(
        `select grant_id from oauth_records where model = 'RefreshToken' and consumed_at is null
           and payload->>'clientId' = $1`,
        [client.clientId],
      );
    expect((await unused()).rows).toHaveLength(1);
    const next = await refresh(tokens[0]?.refreshToken ?? '');
    expect(next.status).toBe(200);
    await db.query(`update oauth_records set consumed_at = consumed_at - interval '11 seconds'
                    where consumed_at is not null`);
    expect((await refresh(client.refreshToken)).status).toBe(400);
    expect((await refresh(readTokens(await next.json()).refreshToken)).status).toBe(400);
    expect((await unused()).rows).toHaveLength(0);
  });

  test('there is one signing key and one cookie key', async () => {
    const { rows } = await db.query(
      `select purpose, count(*)::int as keys from signing_keys group by purpose order by 1`,
    );
    expect(rows).toEqual([
      { purpose: 'cookies', keys: 1 },
      { purpose: 'tokens', keys: 1 },
    ]);
  });

  test('a revocation at one replica reaches the other', async () => {
    const [one, other] = replicas;
    if (!one || !other) throw new Error('no replicas');
    const heard: (string | undefined)[] = [];
    other.identity.onRevoked(({ tokenId }) => heard.push(tokenId));
    const browser = new ScriptedBrowser(publicUrl);
    const { accessToken } = await browser.signInWeb();
    const made = await one.identity.createPersonalToken({ email: 'bea@souk.test', name: 'x' });
    const answer = await one.app.inject({
      method: 'DELETE',
      url: `/auth/pat/${made.id}`,
      headers: { authorization: `Bearer ${accessToken}`, host: new URL(publicUrl).host },
    });
    expect(answer.statusCode).toBe(200);
    await waitUntil('the other replica is notified', () => heard.includes(made.id));
  });

  test('a client that is disconnected at one replica is refused at the other, where it was known, and cannot refresh there', async () => {
    const [one, other] = replicas;
    if (!one || !other) throw new Error('no replicas');
    const email = 'both@souk.test';
    const web = await new ScriptedBrowser(publicUrl).signInWeb({ email });
    const client = await new ScriptedBrowser(publicUrl).signInMcpClient({ email });
    const { host } = new URL(publicUrl);
    const at = (replica: RunningIdentity, method: 'GET' | 'POST' | 'DELETE', url: string, token: string) =>
      replica.app.inject({ method, url, headers: { host, authorization: `Bearer ${token}` } });
    expect((await at(other, 'POST', '/mcp', client.accessToken)).statusCode).toBe(200);

    const profile: { id: string } = (await at(one, 'GET', '/v2/user/profile', web.accessToken)).json();
    const path = `/api/users/${profile.id}/connected-apps`;
    const listed: { apps: { id: string }[] } = (await at(other, 'GET', path, web.accessToken)).json();
    const heard = new Promise((resolve) => other.identity.onRevoked(({ tokenId }) => resolve(tokenId)));
    expect((await at(one, 'DELETE', `${path}/${listed.apps[0]?.id}`, web.accessToken)).statusCode).toBe(200);
    expect(await heard).toBe(listed.apps[0]?.id);
    expect((await at(other, 'POST', '/mcp', client.accessToken)).statusCode).toBe(401);
    const refreshed = await other.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: client.clientId,
        refresh_token: client.refreshToken,
      }).toString(),
    });
    expect(refreshed.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a user who is deactivated at one replica is refused at the other, where their token was valid a moment ago', async () => {
    const [one, other] = replicas;
    if (!one || !other) throw new Error('no replicas');
    const email = 'shut.out@souk.test';
    const client = await new ScriptedBrowser(publicUrl).signInMcpClient({ email });
    const personal = await one.identity.createPersonalToken({ email, name: 'x' });
    const statusAt = async (replica: RunningIdentity, token: string) => {
      const headers = { authorization: `Bearer ${token}`, host: new URL(publicUrl).host };
      return (await replica.app.inject({ method: 'POST', url: '/mcp', headers })).statusCode;
    };
    const all = () =>
      Promise.all(
        [one, other].flatMap((replica) =>
          [client.accessToken, personal.token].map((token) => statusAt(replica, token)),
        ),
      );
    // From here on both remember the two tokens for seconds.
    expect(await all()).toEqual([200, 200, 200, 200]);
    const [{ id: userId = '' } = {}] = await one.identity.users.find(email);
    const how = { endNow: false, confirmAdministrator: false };
    await one.identity.users.deactivate(userId, how, { operator: 'root' });
    expect(await Promise.all([client.accessToken, personal.token].map((token) => statusAt(one, token)))).toEqual([
      401, 401,
    ]);
    await waitUntil('the other replica refuses both', async () => (await all()).every((status) => status === 401));
  });
});
