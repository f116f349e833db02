import { expect, test } from 'vitest';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { migrations } from '../../migrations.ts';
import { startFakeGoogle } from './testing/fake-google.ts';
import { startIdentity } from './testing/start-identity.ts';

/** All cookies of one origin: a Domain would send them to every subdomain too (RFC 6265, 4.1.2.3). */
test("[SES-37] [GEN-31] on the product's own domain cookies are scoped to exactly its host, to https, and away from scripts; only a provider's redirect brings some along", async () => {
  const db = await openTestDatabase(migrations);
  const google = await startFakeGoogle('souk-client');
  const running = await startIdentity({
    db,
    publicUrl: 'https://souk.example',
    environment: { GOOGLE_CLIENT_ID: 'souk-client', GOOGLE_CLIENT_SECRET: 'secret' },
    googleIssuer: google.issuer,
  });
  const jar = new Map<string, string>();
  const lines: string[] = [];
  const visit = async (url: string) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await running.app.inject({ url, headers: { host: 'souk.example', cookie } });
    const set = [answer.headers['set-cookie'] ?? []].flat();
    lines.push(...set);
    for (const line of set)
      jar.set(line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).split(';')[0] ?? '');
    return String(answer.headers.location ?? '');
  };
  const toGoogle = await visit('/auth/google?return_to=/auth/success');
  const back = (await fetch(toGoogle, { redirect: 'manual' })).headers.get('location') ?? '';
  const success = new URL(await visit(back.slice('https://souk.example'.length)));
  const swap = await running.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      host: 'souk.example',
      origin: 'https://souk.example',
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({
      grant_type: 'urn:souk:grant:handoff',
      client_id: 'frontend',
      token: success.searchParams.get('token') ?? '',
    }).toString(),
  });
  expect(swap.statusCode).toBe(200);
  lines.push(...[swap.headers['set-cookie'] ?? []].flat());

  const names = lines.map((line) => line.slice(0, line.indexOf('=')));
  expect(names).toContainEqual(expect.stringMatching(/^souk_upstream_/));
  for (const name of ['souk_session', 'souk_session.sig', 'souk_refresh', 'souk_hand_off'])
    expect(names).toContain(name);
  const proof = lines.find((line) => line.startsWith('souk_hand_off='));
  expect(proof).toMatch(/^souk_hand_off=[\w-]{43}; Max-Age=60; Path=\/oauth\/token; HttpOnly; Secure; SameSite=Lax$/);
  for (const line of lines) {
    expect(line, line).not.toMatch(/domain=/i);
    expect(line, line).toMatch(/;\s*secure/i);
    // says only that there is a sign-in, and our scripts read it
    if (line.startsWith('souk_signed_in=1;')) continue;
    expect(line, line).toMatch(/;\s*httponly/i);
    expect(line, line).toMatch(line.startsWith('souk_refresh=') ? /;\s*samesite=strict/i : /;\s*samesite=lax/i);
  }
  await running.close();
  await google.close();
  await db.close();
});
