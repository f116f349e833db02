import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { initializeRequest, openSession } from '#testing/people/open-session.ts';
import { revokeToken } from '#testing/people/revoke-token.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let fixture: HttpFixture;
let token: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'free', connection });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const mcp = () => `${app.publicUrl}/mcp`;
const bearer = () => ({ authorization: `Bearer ${token}` });
const rpc = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const initialize = () => initializeRequest({ revision: '2025-06-18' });
const openOwnSession = () => openSession(mcp(), token, { revision: '2025-06-18' });

describe('a request without the right to make it', () => {
  test('[TOK-6] security row 1: without a token answers 401 and names the metadata of exactly this link', async () => {
    for (const path of ['/mcp', '/s/free/mcp']) {
      const answer = await postRaw(`${app.publicUrl}${path}`, initialize());
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${app.publicUrl}/.well-known/oauth-protected-resource${path}", scope="mcp:tools mcp:prompts mcp:resources"`,
      );
      expect(answer.text).toContain('Authentication required. Please log in.');
      const metadata: unknown = await (
        await fetch(`${app.publicUrl}/.well-known/oauth-protected-resource${path}`)
      ).json();
      expect(metadata).toMatchObject({ resource: `${app.publicUrl}${path}` });
    }
  });

  test('a link opened in a browser says where it belongs, with the same status and challenge', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/mcp', '/s/free/mcp']) {
      const open = (headers: Record<string, string>) => fetch(`${app.publicUrl}${path}`, { headers });
      const [page, answer] = await Promise.all([open({ accept }), open({ accept: 'text/event-stream' })]);
      expect([page.status, answer.status]).toEqual([401, 401]);
      expect(page.headers.get('www-authenticate')).toBe(answer.headers.get('www-authenticate'));
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const html = await page.text();
      expect(html).toContain('This link is for your AI client, not for a browser.');
      expect(html).toContain(`href="${app.publicUrl}/dashboard"`);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.text()).toContain('Authentication required. Please log in.');
      const refused = await open({ accept, authorization: 'Bearer nonsense' });
      expect(refused.headers.get('content-type')).toBe('application/json');
    }
    const posted = await postRaw(mcp(), initialize(), { accept });
    expect(posted.text).toContain('Authentication required. Please log in.');
  });

  test('security row 2: an invented token, or a token in the address, answers 401', async () => {
    for (const value of ['Bearer nonsense', 'Bearer souk_pat_nonsense', 'Basic abc', `bearer`]) {
      const answer = await postRaw(mcp(), initialize(), { authorization: value });
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('Authentication failed. Please log in again.');
    }
    expect((await postRaw(`${mcp()}?access_token=${token}`, initialize())).status).toBe(401);
  });

  test('[PAT-5] a revoked token answers 401 immediately, and its legacy session has ended', async () => {
    const session = await openOwnSession();
    const own = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'short-lived' });
    const headers = { authorization: `Bearer ${own.token}` };
    const opened = await postRaw(mcp(), initialize(), headers);
    expect(opened.status).toBe(200);
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
    await revokeToken(app.publicUrl, accessToken, own.id);
    expect((await postRaw(mcp(), initialize(), headers)).status).toBe(401);
    expect((await postRaw(mcp(), rpc('ping'), session)).status).toBe(200);
  });

  test('an expired token answers 401', async () => {
    let nowMs = Date.now();
    const later = await startTestApp({ clock: { now: () => nowMs } });
    const old = await later.identity.createPersonalToken({ email: 'ann@souk.test', name: 'old', expiresInDays: 1 });
    const send = () => postRaw(`${later.publicUrl}/mcp`, initialize(), { authorization: `Bearer ${old.token}` });
    expect((await send()).status).toBe(200);
    nowMs += 25 * 60 * 60_000;
    expect((await send()).status).toBe(401);
    await later.stop();
  });

  test('[TOK-2] [TOK-3] [TOK-4] a token of the web or of another link answers 401, and works where it belongs', async () => {
    const { accessToken: web } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
    const resource = `${app.publicUrl}/s/free/mcp`;
    const { accessToken: single } = await new ScriptedBrowser(app.publicUrl).signInMcpClient({ resource });
    const { accessToken: all } = await new ScriptedBrowser(app.publicUrl).signInMcpClient();
    const status = async (url: string, bearerToken: string) =>
      (await postRaw(url, initialize(), { authorization: `Bearer ${bearerToken}` })).status;
    expect([await status(mcp(), web), await status(resource, web)]).toEqual([401, 401]);
    expect([await status(mcp(), single), await status(resource, single)]).toEqual([401, 200]);
    expect([await status(mcp(), all), await status(resource, all)]).toEqual([200, 401]);
  });

  test('a session of another token or another link answers 404, like one that never existed', async () => {
    const session = await openOwnSession();
    const other = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
    const second = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'second' });
    const send = (bearerToken: string, id: string, url = mcp()) =>
      postRaw(url, rpc('tools/list'), { authorization: `Bearer ${bearerToken}`, 'mcp-session-id': id });
    expect((await send(token, session['mcp-session-id'])).status).toBe(200);
    for (const answer of [
      await send(other.token, session['mcp-session-id']),
      await send(second.token, session['mcp-session-id']),
      await send(token, session['mcp-session-id'], `${app.publicUrl}/s/free/mcp`),
      await send(token, 'no-such-session'),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: -32001, message: 'Session not found' } } });
    }
  });

  test('security row 4: a foreign Origin or Host answers 403', async () => {
    for (const origin of ['https://evil.test', 'null', `${app.publicUrl}.evil.test`, 'http://localhost']) {
      expect((await postRaw(mcp(), initialize(), { ...bearer(), origin })).status).toBe(403);
    }
    expect((await postRaw(mcp(), initialize(), { ...bearer(), origin: app.publicUrl })).status).toBe(200);
    for (const host of ['evil.test', 'localhost', '127.0.0.1:1', 'localhost:1']) {
      expect(await statusWithHost(host)).toBe(403);
    }
    expect(await statusWithHost(new URL(app.publicUrl).host)).toBe(401);
  });

  test('a token without the scope of a method answers 403 insufficient_scope', async () => {
    const narrow = await app.identity.createPersonalToken({
      email: 'ann@souk.test',
      name: 'n',
      scopes: ['mcp:prompts'],
    });
    const answer = await postModern(mcp(), narrow.token, 'tools/list');
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(answer.headers.get('www-authenticate')).toContain('scope="mcp:tools mcp:prompts"');
    expect((await postModern(mcp(), narrow.token, 'prompts/list')).status).toBe(200);
  });
});

/** Uses node:http, because fetch does not let its caller set Host. */
function statusWithHost(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(mcp());
    const sent = httpRequest(
      { host: '127.0.0.1', port: url.port, path: '/mcp', method: 'POST', headers: { host } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end(initialize());
  });
}
