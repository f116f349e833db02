import { generateKeyPair, importJWK, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, testVault, type RunningIdentity } from './testing/start-identity.ts';

// the last test retires the key
describe('foreign access tokens', { shuffle: false }, () => {
  let db: Database;
  let running: RunningIdentity;
  let claims: Record<string, unknown>;
  let key: JWK;
  let genuine: string;
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    running = await startIdentity({ db });
    genuine = (await new ScriptedBrowser(running.publicUrl).signInWeb()).accessToken;
    claims = JSON.parse(Buffer.from(genuine.split('.')[1] ?? '', 'base64url').toString());
    const { rows } = await db.query<{ id: string; sealed_key: string }>(
      `select id, sealed_key from signing_keys where purpose = 'tokens'`,
    );
    const row = rows[0];
    if (!row) throw new Error('no key');
    key = JSON.parse(testVault.open({ table: 'signing_keys', row: row.id, userId: '' }, row.sealed_key));
  });
  afterAll(async () => {
    await running.close();
    await db.close();
  });
  const status = async (token: string) =>
    (await fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } })).status;
  const sign = async (changed: Record<string, unknown>, header: Record<string, string> = {}) =>
    new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: String(key.kid), ...header })
      .sign(await importJWK(key, 'ES256'));

  test('a token built like ours is valid, so the refusals below mean something', async () => {
    expect(await status(await sign({}))).toBe(200);
  });
  test('without a signature', async () => {
    expect(await status(new UnsecuredJWT(claims).encode())).toBe(401);
  });
  test('of another type: an identity token is not an access token', async () => {
    expect(await status(await sign({}, { typ: 'JWT' }))).toBe(401);
  });
  test('of another key under our key id', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: String(key.kid) })
      .sign(privateKey);
    expect(await status(forged)).toBe(401);
  });
  test('HMAC with the public key', async () => {
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: String(key.kid) })
      .sign(new TextEncoder().encode(JSON.stringify({ x: key.x, y: key.y })));
    expect(await status(forged)).toBe(401);
  });
  test('expired, of another issuer, for several audiences, of another user or of no grant', async () => {
    const past = Math.floor(Date.now() / 1000) - 1;
    const wrong = [
      { exp: past },
      { iss: 'https://evil.test' },
      { aud: `${running.publicUrl}/mcp` },
      { aud: [`${running.publicUrl}/api`, `${running.publicUrl}/mcp`] },
      { sub: '018f0000-0000-7000-8000-000000000000' },
      { sub: "'; drop table users; --" },
      { gid: 'no-such-grant' },
      { client_id: 'another-client' },
    ];
    for (const change of wrong) expect(await status(await sign(change)), JSON.stringify(change)).toBe(401);
  });
  test('of a retired key, once all tokens it signed have expired', async () => {
    await db.query(`update signing_keys set state = 'retired', state_since = now() - interval '2 hours'
                    where purpose = 'tokens'`);
    const restarted = await startIdentity({ db, publicUrl: running.publicUrl });
    await restarted.identity.rotateKeys();
    const answer = await restarted.app.inject({
      url: '/v2/user/profile',
      headers: { authorization: `Bearer ${genuine}`, host: new URL(running.publicUrl).host },
    });
    expect(answer.statusCode).toBe(401);
    await restarted.close();
  });
});
