import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '#testing/start-app.ts';
import { version } from './version.ts';

const started: TestApp[] = [];
const start = async (options: TestAppOptions = {}) => {
  const app = await startTestApp(options);
  started.push(app);
  return app;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.stop()));
});

test('[CFG-12] [CFG-39] while a stand-in is active the broker listens on 127.0.0.1 only, unless each stand-in is allowed beyond it', async () => {
  const closed = await start({ env: { HOST: '0.0.0.0' } });
  expect(addressesOf(closed)).toEqual(['127.0.0.1']);
  const paying = await start({ env: { HOST: '0.0.0.0', GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' } });
  expect(paying.stripeSandbox).toBeDefined();
  expect(addressesOf(paying)).toEqual(['127.0.0.1']);
  const { port } = new URL(paying.publicUrl);
  expect(await statusFor(port, '/dev-stripe/styles.css', { host: 'souk.example' })).toBe(403);
  const open = await start({ env: { HOST: '0.0.0.0', ALLOW_DEV_SIGN_IN: '1', ALLOW_SANDBOX_PAYMENTS: '1' } });
  expect(addressesOf(open)).toEqual(['0.0.0.0']);
});

test('[CFG-40] a Host header that does not match PUBLIC_URL is refused, except for the probes', async () => {
  const app = await start();
  const { port } = new URL(app.publicUrl);
  for (const path of [
    '/',
    '/mcp/info',
    '/.well-known/oauth-authorization-server',
    '/oauth/authorize',
    '/dev-google/auth',
  ]) {
    for (const host of ['evil.test', `evil.test:${port}`, `127.0.0.1:${port}`, `localhost.evil.test:${port}`]) {
      expect(await statusFor(port, path, { host }), `${host} ${path}`).toBe(403);
      expect(await statusFor(port, path, { host, 'x-forwarded-host': `localhost:${port}` })).toBe(403);
    }
  }
  expect(await statusFor(port, '/mcp/info', { host: `localhost:${port}` })).toBe(200);
  expect(await statusFor(port, '/healthz', { host: '10.0.0.1' })).toBe(200);
  const health = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect(await health.json()).toEqual({ status: 'ok', version });
  expect(await statusFor(port, '/readyz', { host: '10.0.0.1' })).toBe(200);
});

test('[CFG-13] X-Forwarded-Host counts only when it comes from a proxy that TRUST_PROXY names', async () => {
  const app = await start({ env: { TRUST_PROXY: '127.0.0.1/32' } });
  const { port, host } = new URL(app.publicUrl);
  expect(await statusFor(port, '/mcp/info', { host: 'broker.internal', 'x-forwarded-host': host })).toBe(200);
  expect(await statusFor(port, '/mcp/info', { host, 'x-forwarded-host': 'evil.test' })).toBe(403);
});

test('[ERR-10] [ERR-13] every error has the same shape: success false, a code, a text, and no stack', async () => {
  const app = await start();
  // a user who may send a body
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb();
  const send = (body: string, type = 'application/json') =>
    fetch(`${app.publicUrl}/auth/pat/create`, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${accessToken}` },
      body,
    });
  const answers = [
    [await fetch(`${app.publicUrl}/nothing/here`), 404, 'not_found'],
    [await send('{"name":'), 400, 'invalid_json'],
    [await send('x'.repeat(300 * 1024)), 413, 'payload_too_large'],
    [await send(`${'['.repeat(65)}${']'.repeat(65)}`), 400, 'too_deep'],
    [await send('{"__proto__":{}}'), 400, 'invalid_request'],
    [await send(String.raw`{"name":"a","more":[{"\u005f_proto__":{}}]}`), 400, 'invalid_request'],
    [await send('x', 'text/plain'), 415, 'unsupported_media_type'],
    [await fetch(`${app.publicUrl}/%`), 400, 'invalid_request'],
  ] as const;
  for (const [answer, status, code] of answers) {
    const text = await answer.text();
    expect(answer.status, text).toBe(status);
    expect(JSON.parse(text)).toMatchObject({ success: false, code, message: expect.stringContaining(' ') });
    expect(text).not.toContain('    at ');
  }
});

test('__proto__ is an ordinary text where it is not a field', async () => {
  const app = await start();
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb();
  const answer = await fetch(`${app.publicUrl}/auth/pat/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: '{"name":"__proto__"}',
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"__proto__"')]);
});

test('[ERR-12] [ERR-13] an unexpected failure answers with the text of the catalogue and a request id that the log has too', async () => {
  const app = await start();
  await app.db.query('alter table personal_tokens rename to personal_tokens_renamed');
  // gateway/call/failures.test.ts tests the same failure at the MCP links, as JSON-RPC
  const answer = await fetch(`${app.publicUrl}/v2/user/profile`, {
    headers: { authorization: `Bearer souk_pat_${'a'.repeat(43)}` },
  });
  const text = await answer.text();
  await app.db.query('alter table personal_tokens_renamed rename to personal_tokens');
  expect(answer.status).toBe(500);
  const body: unknown = JSON.parse(text);
  const requestId = answer.headers.get('x-request-id');
  expect(requestId).toMatch(/\S{8,}/);
  const message = 'An unexpected error occurred';
  expect(body).toEqual({ success: false, code: 'unexpected', message, requestId });
  expect(text).not.toMatch(/personal_tokens|    at /);
  expect(app.logged()).toContain(`"requestId":"${requestId}"`);
});

test('every answer has the security headers, and no HSTS without https', async () => {
  const app = await start();
  const { headers } = await fetch(`${app.publicUrl}/mcp/info`);
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(headers.get('content-security-policy')).not.toContain('unsafe-inline');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('strict-transport-security')).toBeNull();
});

function addressesOf(app: TestApp): string[] {
  return app.server.addresses().map((address) => (typeof address === 'string' ? address : address.address));
}

/** Uses node:http, because fetch does not let the caller set Host. */
function statusFor(port: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
