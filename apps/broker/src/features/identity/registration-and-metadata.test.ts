import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnEmbedded('registration and metadata', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());

  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const register = (metadata: object) =>
    fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
  const authorize = (clientId: string, fields: Record<string, string> = {}) =>
    newBrowser().authorizeUrl({
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:53999/callback',
      code_challenge: challengeOf('verifier'),
      ...fields,
    });

  test('a flood of different registrations is stopped', async () => {
    // the clock is stopped, so nothing is refilled, however slow the machine is
    const nowMs = Date.now();
    const calm = await startIdentity({ db: running.db, clock: { now: () => nowMs } });
    const statuses = new Set<number>();
    const waits: number[] = [];
    for (let n = 0; n < 61; n++) {
      const answer = await fetch(`${calm.publicUrl}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: `Flood ${n}`, redirect_uris: ['https://flood.example/cb'] }),
      });
      statuses.add(answer.status);
      if (answer.status === 429) waits.push(Number(answer.headers.get('retry-after')));
    }
    await calm.close();
    expect([...statuses]).toEqual([201, 429]);
    expect(waits).toEqual([1]);
  });

  test('a registration while the database is down, or full, answers 503', async () => {
    const lost = Object.assign(new Error('could not extend file'), { code: '53100' });
    const query: typeof running.db.query = async (text, values) => {
      if (text.includes('into oauth_records')) throw lost;
      return running.db.query(text, values);
    };
    const away = await startIdentity({ db: { ...running.db, query } });
    const answer = await fetch(`${away.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Late', redirect_uris: ['https://late.example/cb'] }),
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toMatchObject({
      success: false,
      code: 'unavailable',
      error: 'temporarily_unavailable',
    });
    await away.close();
  });

  test('registrations with dangerous or too many redirect addresses are refused', async () => {
    const bad = [
      ['javascript:alert(1)'],
      ['data:text/html,x'],
      ['vbscript:x'],
      ['file:///etc/passwd'],
      ['ms-msdt:/id'],
      ['myapp://callback'],
      ['https://user:secret@app.example/cb'],
      ['http://evil.test/cb'],
      ['http://localhost.evil.test/callback'],
      ['http://127.0.0.1@evil.test/cb'],
      ['https://app.example/cb#fragment'],
      ['not an address'],
      [],
      Array.from({ length: 11 }, (_, n) => `https://app.example/${n}`),
    ];
    for (const redirects of bad) {
      const answer = await register({ redirect_uris: redirects });
      expect(answer.status, redirects[0]).toBe(400);
      expect(await answer.json()).toMatchObject({ error: 'invalid_redirect_uri' });
    }
    const large = await register({ redirect_uris: ['https://app.example/cb'], client_name: 'x'.repeat(17_000) });
    expect(large.status).toBe(413);
  });

  test('a confidential client gets a secret, which is not in the table', async () => {
    const answer = await register({
      client_name: 'Confidential',
      redirect_uris: ['https://app.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const registration: Record<string, unknown> = JSON.parse(await answer.text());
    const secret = String(registration['client_secret']);
    expect(secret.length).toBeGreaterThan(20);
    const { rows } = await running.db.query(`select payload::text as text from oauth_records where model = 'Client'`);
    expect(JSON.stringify(rows)).not.toContain(secret);
    const browser = newBrowser();
    const clientId = String(registration['client_id']);
    const left = await browser.signIn(authorize(clientId, { redirect_uri: 'https://app.example/cb' }));
    const redeem = (password: string) =>
      fetch(`${running.publicUrl}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${password}`).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: left.searchParams.get('code') ?? '',
          redirect_uri: 'https://app.example/cb',
          code_verifier: 'verifier'.padEnd(43, 'x'),
        }),
      });
    expect((await redeem('wrong')).status).toBe(401);
    // the secret is accepted, and the verifier is wrong
    expect(await (await redeem(secret)).json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('[GEN-28] metadata is the same for every Host and X-Forwarded-Host', async () => {
    const read = (path: string, headers: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const { port } = new URL(running.publicUrl);
        httpRequest({ host: '127.0.0.1', port, path, headers }, (answer) => {
          let text = '';
          answer.on('data', (chunk) => (text += String(chunk)));
          answer.on('end', () => resolve(text));
        })
          .on('error', reject)
          .end();
      });
    const { host } = new URL(running.publicUrl);
    const forwarded = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'gopher', forwarded: 'host=evil.test' };
    for (const name of [
      'oauth-authorization-server',
      'openid-configuration',
      'oauth-protected-resource/s/travel/mcp',
    ]) {
      const path = `/.well-known/${name}`;
      expect(await read(path, { host: 'evil.test' }), path).not.toContain('evil');
      expect(await read(path, { host, ...forwarded }), path).toBe(await read(path, { host }));
    }
    const server = JSON.parse(await read('/.well-known/oauth-authorization-server', { host, ...forwarded }));
    expect(server).toMatchObject({
      issuer: running.publicUrl,
      authorization_endpoint: `${running.publicUrl}/oauth/authorize`,
      token_endpoint: `${running.publicUrl}/oauth/token`,
      registration_endpoint: `${running.publicUrl}/oauth/register`,
      revocation_endpoint: `${running.publicUrl}/oauth/revoke`,
      jwks_uri: `${running.publicUrl}/oauth/jwks`,
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
    });
  });

  test('the documents of every protected resource name it byte by byte, and unknown probes get a JSON 404', async () => {
    const { publicUrl } = running;
    const read = async (path: string) => {
      const answer = await fetch(`${publicUrl}/.well-known/${path}`);
      return {
        status: answer.status,
        origin: answer.headers.get('access-control-allow-origin'),
        body: await answer.json(),
      };
    };
    const server = await read('oauth-authorization-server');
    expect(server.body).toMatchObject({
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      // at a loopback address clients register (client-documents.test.ts)
      client_id_metadata_document_supported: false,
      registration_endpoint: `${publicUrl}/oauth/register`,
      scopes_supported: ['mcp:tools', 'mcp:prompts', 'mcp:resources'],
    });
    expect(server.origin).toBe('*');
    expect((await read('openid-configuration')).body).toEqual(server.body);
    expect((await read('oauth-protected-resource')).body).toMatchObject({ resource: `${publicUrl}/mcp` });
    expect((await read('oauth-protected-resource/mcp')).body).toMatchObject({ resource: `${publicUrl}/mcp` });
    expect((await read('oauth-protected-resource/s/travel/mcp')).body).toMatchObject({
      resource: `${publicUrl}/s/travel/mcp`,
      authorization_servers: [publicUrl],
    });
    for (const probe of ['oauth-authorization-server/mcp', 'oauth-protected-resource/s/oauth/mcp', 'anything/else']) {
      expect(await read(probe), probe).toMatchObject({ status: 404, body: { success: false, code: 'not_found' } });
    }
    const head = await fetch(`${publicUrl}/.well-known/oauth-protected-resource/mcp`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    const jwks = await (await fetch(`${publicUrl}/oauth/jwks`)).text();
    expect(jwks).toContain('"kid"');
    expect(jwks).not.toContain('"d"');
  });

  test('browsers of any origin may use the endpoints of public clients, never with cookies', async () => {
    const { publicUrl } = running;
    const wellKnown = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource/mcp'];
    const paths = [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      ...wellKnown.map((name) => `/.well-known/${name}`),
    ];
    for (const path of paths) {
      const preflight = await fetch(publicUrl + path, {
        method: 'OPTIONS',
        headers: { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' },
      });
      expect(preflight.status, path).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(preflight.headers.get('access-control-allow-credentials'), path).toBeNull();
    }
    const client = await newBrowser().signInMcpClient();
    const answer = await fetch(`${publicUrl}/oauth/token`, {
      method: 'POST',
      headers: { origin: 'http://localhost:6274' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: client.clientId,
        refresh_token: client.refreshToken,
      }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});
