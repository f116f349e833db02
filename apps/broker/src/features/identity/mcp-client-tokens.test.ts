import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, readTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { sha256 } from './hash.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';
import { useTokens } from './testing/use-tokens.ts';

describeOnEmbedded('MCP clients renew and revoke their tokens', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());

  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const { call, refresh } = useTokens(() => running.publicUrl);
  /** Returns the number of unused refresh tokens of this token's authorization. */
  const unusedRefreshTokens = async (accessToken: string) => {
    const { rows } = await running.db.query(
      `select 1 from oauth_records where model = 'RefreshToken' and grant_id = $1 and consumed_at is null`,
      [decodeJwt(accessToken)['gid']],
    );
    return rows.length;
  };

  test('a client that refreshes in three windows concurrently keeps its sign-in', async () => {
    const client = await newBrowser().signInMcpClient();
    const answers = await Promise.all([1, 2, 3].map(() => refresh(client)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  });

  test('a retry within ten seconds gets the same successor, and no second token chain', async () => {
    const client = await newBrowser().signInMcpClient();
    const renew = async (refreshToken: string) => {
      const answer = await refresh({ clientId: client.clientId, refreshToken });
      return readTokens(await answer.json());
    };
    const second = await renew(client.refreshToken);
    const again = await renew(client.refreshToken);
    expect(again.refreshToken).toBe(second.refreshToken);
    expect(await call(again.accessToken)).toBe(200);
    // The chain continued meanwhile: the retry gets the newest token, not one that would count as stolen when used.
    const third = await renew(second.refreshToken);
    expect((await renew(client.refreshToken)).refreshToken).toBe(third.refreshToken);
    expect(await unusedRefreshTokens(client.accessToken)).toBe(1);
  });

  test('a retry with the token of another client gets nothing', async () => {
    const client = await newBrowser().signInMcpClient();
    const other = await newBrowser().signInMcpClient({ clientName: 'Somebody else' });
    await refresh(client);
    const answer = await refresh({ clientId: other.clientId, refreshToken: client.refreshToken });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('after ten seconds a used refresh token revokes its family', async () => {
    const client = await newBrowser().signInMcpClient();
    const next: { access_token: string } = JSON.parse(await (await refresh(client)).text());
    await running.db.query(
      `update oauth_records set consumed_at = consumed_at - interval '11 seconds' where consumed_at is not null`,
    );
    expect((await refresh(client)).status).toBe(400);
    expect(await call(next.access_token)).toBe(401);
  });

  test('a refresh token expires thirty days after its last use and ninety after the sign-in', async () => {
    const client = await newBrowser().signInMcpClient();
    const days = async () => {
      const { rows } = await running.db.query<{ days: number }>(
        `select extract(epoch from max(expires_at) - now())::float8 / 86400 as days from oauth_records
         where model = 'RefreshToken' and payload->>'clientId' = $1 and consumed_at is null`,
        [client.clientId],
      );
      return rows[0]?.days ?? 0;
    };
    await running.db.query(
      `delete from oauth_records where model = 'RefreshToken' and payload->>'clientId' = $1 and id <> $2`,
      [client.clientId, sha256(client.refreshToken)],
    );
    expect(await days()).toBeCloseTo(30, 1);
    await running.db.query(
      `update oauth_records set payload = payload || jsonb_build_object('iiat', (extract(epoch from now()) - 80 * 86400)::int)
       where model = 'RefreshToken' and id = $1`,
      [sha256(client.refreshToken)],
    );
    expect((await refresh(client)).status).toBe(200);
    expect(await days()).toBeCloseTo(10, 1);
  });

  test('revoking one authorization refuses its access token immediately, notifies the listeners, and keeps the other authorization', async () => {
    const browser = newBrowser();
    const one = await browser.signInMcpClient();
    const other = await browser.signInMcpClient();
    const heard: (string | undefined)[] = [];
    const revoked = new Promise<void>((resolve) => {
      running.identity.onRevoked(({ tokenId }) => {
        heard.push(tokenId);
        resolve();
      });
    });
    const answer = await fetch(`${running.publicUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: one.refreshToken, client_id: one.clientId }),
    });
    expect(answer.status).toBe(200);
    expect(await call(one.accessToken)).toBe(401);
    expect(await call(other.accessToken)).toBe(200);
    await revoked;
    expect(heard).toEqual([decodeJwt(one.accessToken)['gid']]);
  });

  test('a client cannot revoke the token of another', async () => {
    const one = await newBrowser().signInMcpClient();
    const other = await newBrowser().signInMcpClient({ clientName: 'Another client' });
    await fetch(`${running.publicUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: one.refreshToken, client_id: other.clientId }),
    });
    expect(await call(one.accessToken)).toBe(200);
  });

  test('a client can also revoke by its access token, and only its own', async () => {
    const one = await newBrowser().signInMcpClient();
    const other = await newBrowser().signInMcpClient({ clientName: 'A third client' });
    const revoke = (token: string, clientId: string) =>
      fetch(`${running.publicUrl}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: clientId, token_type_hint: 'access_token' }),
      });
    expect((await revoke(one.accessToken, other.clientId)).status).toBe(200);
    expect((await revoke(one.accessToken, 'nobody')).status).toBe(401);
    expect(await call(one.accessToken)).toBe(200);
    expect((await revoke(one.accessToken, one.clientId)).status).toBe(200);
    expect(await call(one.accessToken)).toBe(401);
    expect((await refresh(one)).status).toBe(400);
    expect(await call(other.accessToken)).toBe(200);
    expect((await revoke('something-unknown', one.clientId)).status).toBe(200);
  });
});
