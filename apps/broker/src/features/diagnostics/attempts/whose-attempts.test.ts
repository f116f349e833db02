import { connectionSteps } from '@souk/contract/diagnostics.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import {
  authorize,
  authorizeUrl,
  connectOfficial,
  newPerson,
  outline,
  redeem,
  redirectUri,
  register,
} from '../testing/connecting.ts';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await startTestApp();
  url = `${app.publicUrl}/mcp`;
});
afterAll(() => app?.stop());

test("a user does not see another user's attempts, and no token, code or secret is stored", async () => {
  const [mine, other] = [await newPerson(app.publicUrl), await newPerson(app.publicUrl)];
  const { token } = await mine.createToken('mine');
  await postModern(url, token, 'tools/list');
  const code = await authorize(mine, app.publicUrl);
  const answer = await redeem(app.publicUrl, code);
  const tokens: { access_token: string; refresh_token: string } = JSON.parse(await answer.text());
  await postModern(url, tokens.access_token, 'tools/list');
  expect(await mine.attempts()).toHaveLength(2);
  expect(await other.attempts()).toEqual([]);
  expect((await other.api(`/api/users/${mine.id}/connections`)).status).toBe(404);
  const { rows } = await app.db.query(`select * from connection_attempts`);
  const kept = JSON.stringify(rows);
  for (const secret of [token, code.code, tokens.access_token, tokens.refresh_token, '127.0.0.1']) {
    expect(kept).not.toContain(secret);
  }
});

test("two users behind one address with one program do not see each other's attempts", async () => {
  const shared = 'hosted-client/1';
  const [stranger, person] = [await newPerson(app.publicUrl), await newPerson(app.publicUrl)];
  const ask = () => fetch(url, { method: 'POST', headers: { 'user-agent': shared } });
  await ask();
  for (const scheme of ['http', 'https']) {
    const metadata = { client_name: `Strange ${scheme}`, redirect_uris: [`${scheme}://strange.example/callback`] };
    await register(app.publicUrl, metadata, shared);
  }
  await connectOfficial(stranger, app.publicUrl, { port: 53997 });
  await ask();
  const { token } = await person.createToken('mine');
  await postModern(url, token, 'tools/list', {}, { 'user-agent': shared });
  expect(outline(await person.attempt()).slice(0, 5)).toEqual(
    connectionSteps.slice(0, 5).map((step) => `${step}: skipped`),
  );
  const code = await authorize(person, app.publicUrl);
  expect((await redeem(app.publicUrl, code, {}, shared)).status).toBe(200);
  const attempts = await person.attempts();
  expect(attempts.map(({ client }) => client.name).sort()).toEqual(['By hand', 'hosted-client 1']);
  expect(JSON.stringify(attempts)).not.toMatch(/strange|official/i);
  expect(JSON.stringify(await stranger.attempts())).not.toMatch(/strange|By hand|mine/i);
});

test('a sign-in belongs to the user who allowed it, also if the browser was signed in as another user', async () => {
  const [first, second] = [await newPerson(app.publicUrl), await newPerson(app.publicUrl)];
  const clientId = await register(app.publicUrl, { client_name: 'Switched', redirect_uris: [redirectUri] });
  let step = await first.browser.open(authorizeUrl(first.browser, clientId));
  for (const fields of [{ switch: '1' }, { email: second.email }, { allow: '1' }]) {
    if (!('page' in step)) throw new Error('the sign-in ended early');
    step = await first.browser.submit(step.page, fields);
  }
  const code = 'left' in step ? (step.left.searchParams.get('code') ?? '') : '';
  expect((await redeem(app.publicUrl, { clientId, code })).status).toBe(200);
  expect((await second.attempts()).map(({ client }) => client.name)).toEqual(['Switched']);
  const { rows } = await app.db.query(`select user_id from connection_attempts where client_id = $1`, [clientId]);
  expect(rows).toEqual([{ user_id: second.id }]);
});

test('attempts are deleted after thirty days', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('old');
  await postModern(url, token, 'tools/list');
  expect(await person.attempts()).toHaveLength(1);
  await app.db.query(`update connection_attempts set last_at = last_at - interval '31 days' where user_id = $1`, [
    person.id,
  ]);
  expect(await person.attempts()).toEqual([]);
  await app.diagnostics.reap();
  const { rows } = await app.db.query(`select 1 from connection_attempts where user_id = $1`, [person.id]);
  expect(rows).toEqual([]);
});
