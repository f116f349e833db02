import { afterAll, beforeAll, expect, test } from 'vitest';
import { initializeRequest } from '#testing/people/open-session.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

const hourMs = 60 * 60_000;
let nowMs = Date.now();
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: { now: () => nowMs } });
});
afterAll(() => app?.stop());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const mcp = (token: string) => postRaw(`${app.publicUrl}/mcp`, initializeRequest(), bearer(token));
const get = (path: string, token: string) => fetch(app.publicUrl + path, { headers: bearer(token) });

test.each([
  ['/mcp', async (token: string) => (await mcp(token)).status],
  ['/api', async (token: string) => (await get('/api/users/me/calls', token)).status],
  ['/auth/pat', async (token: string) => (await get('/auth/pat/list', token)).status],
])(
  'an address that guesses tokens is slowed down, and valid or expired tokens from it never are: %s',
  async (_where, send) => {
    nowMs += hourMs;
    const { accessToken: web } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'good' });
    const old = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'old', expiresInDays: 1 });
    const guesses = [];
    for (let count = 0; count < 61; count++)
      guesses.push(await send(count % 2 ? `souk_pat_${count}` : `eyJ.${count}.x`));
    expect(guesses).toEqual([...Array<number>(60).fill(401), 429]);

    // the same limit at each of them
    const refused = await mcp('guess');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.body.error).toMatchObject({ data: { code: 'rate_limited', retryAfterSeconds: 1 } });
    expect((await get('/auth/pat/list', 'guess')).status).toBe(429);

    expect((await mcp(token)).status).toBe(200);
    expect((await get('/auth/pat/list', web)).status).toBe(200);
    nowMs += 24 * hourMs;
    for (let count = 0; count < 61; count++) await send(`souk_pat_${count}`);
    expect([(await mcp(old.token)).status, (await mcp(web)).status]).toEqual([401, 401]);
  },
);
