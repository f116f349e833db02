import { createServer } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf } from '#testing/people/scripted-browser.ts';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { ScriptedClientProvider } from '#testing/people/scripted-client-provider.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describe('clients that identify themselves by a metadata document', () => {
  let db: Database;
  let documents: DocumentServer;
  let running: RunningIdentity;
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    documents = await startDocumentServer();
    running = await startIdentity({
      db,
      environment: { CLIENT_DOCUMENTS: 'on' },
      documentDispatcher: documents.dispatcher,
    });
  });
  const started: { close(): Promise<unknown> }[] = [];
  afterEach(() => Promise.all(started.splice(0).map((one) => one.close())));
  afterAll(async () => {
    await running?.close();
    await documents?.close();
    await db?.close();
  });

  const publish = (path: string, document: object) => {
    documents.answers.set(path, (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('cache-control', 'max-age=600');
      response.end(JSON.stringify({ client_id: `https://client.example${path}`, ...document }));
    });
    return `https://client.example${path}`;
  };
  const open = (clientId: string, redirectUri = 'http://localhost:4711/callback', from = running) => {
    const browser = new ScriptedBrowser(from.publicUrl);
    return browser.open(
      browser.authorizeUrl({ client_id: clientId, redirect_uri: redirectUri, code_challenge: challengeOf('v') }),
    );
  };

  test('the official client signs in with its document: no port, no application_type, grant types that we lack', async () => {
    const url = publish('/oauth/metadata.json', {
      client_name: 'Published client',
      redirect_uris: ['http://localhost/callback', 'https://client.example/redirect'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
    });
    const browser = new ScriptedBrowser(running.publicUrl);
    const provider = new ScriptedClientProvider(browser, 'http://localhost:4711/callback', url);
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${running.publicUrl}/mcp`), { authProvider: provider });
    await new Client({ name: 'test', version: '1' }).connect(transport()).catch(() => undefined);
    if (!provider.callback) throw new Error('the client did not ask for sign-in');
    await transport().finishAuth(provider.callback.searchParams);
    const answer = await fetch(`${running.publicUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${provider.token()}` },
    });
    expect(answer.status).toBe(200);
    // cached for as long as the document says
    expect(documents.requests.filter((path) => path === '/oauth/metadata.json')).toHaveLength(1);
  });

  test('a loopback address does not announce documents to clients, and serves a client that brings its own', async () => {
    const url = publish('/on-its-own', { redirect_uris: ['http://localhost/callback'] });
    for (const [setting, { supported, left }] of Object.entries({
      auto: { supported: false, left: true },
      on: { supported: true, left: true },
      off: { supported: false, left: false },
    })) {
      const own = await startIdentity({
        db,
        environment: { CLIENT_DOCUMENTS: setting },
        documentDispatcher: documents.dispatcher,
      });
      started.push(own);
      const metadata = await fetch(`${own.publicUrl}/.well-known/oauth-authorization-server`);
      expect(await metadata.json(), setting).toMatchObject({ client_id_metadata_document_supported: supported });
      const browser = new ScriptedBrowser(own.publicUrl);
      const signedIn = browser.signInMcpClient({ clientId: url, redirectUri: 'http://localhost:4711/callback' });
      const outcome = await signedIn.then(
        () => 'signed in',
        (error: Error) => error.message,
      );
      expect(outcome, setting).toMatch(left ? /^signed in$/ : /^stopped at 400/);
    }
  });

  test('the consent page names the publisher', async () => {
    const url = publish('/published', { client_name: 'Named', redirect_uris: ['http://localhost/callback'] });
    const step = await open(url);
    expect('page' in step && step.page.text).toContain('Published by client.example');
  });

  test('a redirect address that is not in the document gets an error page', async () => {
    const url = publish('/redirects', { redirect_uris: ['http://localhost/callback'] });
    for (const redirect of [
      'http://localhost.evil.test/callback',
      'http://localhost/other',
      'https://evil.test/callback',
    ]) {
      const step = await open(url, redirect);
      expect('page' in step && step.page.status, redirect).toBe(400);
      const text = 'page' in step ? step.page.text : '';
      expect(text).toContain('an address that it does not publish at client.example');
      expect(text, 'adding it again changes nothing').not.toContain('remove this connection');
    }
  });

  test('documents that break a rule are refused', async () => {
    const fine = { redirect_uris: ['http://localhost/callback'] };
    const bad = [
      publish('/another-id', { ...fine, client_id: 'https://client.example/else' }),
      publish('/secret', { ...fine, client_secret: 'shared' }),
      publish('/method', { ...fine, token_endpoint_auth_method: 'client_secret_basic' }),
      publish('/script', { redirect_uris: ['javascript:alert(1)'] }),
      publish('/plain', { redirect_uris: ['http://evil.test/callback'] }),
      publish('/large', { ...fine, client_name: 'x'.repeat(6000) }),
      'https://client.example/',
    ];
    documents.answers.set('/html', (_request, response) => response.end('<html></html>'));
    for (const url of [...bad, 'https://client.example/html']) {
      const step = await open(url);
      expect('page' in step && step.page.status, url).toBe(400);
      expect('page' in step && step.page.text, url).not.toContain('name="allow"');
      expect('page' in step && step.page.text, url).toContain(
        'could not use the description that the app publishes at',
      );
      expect('page' in step && step.page.text, url).not.toContain('remove this connection');
    }
  });

  test('a document that cannot be fetched is distinguished from an invalid one, and the page says who can help', async () => {
    documents.answers.set('/moved', (_request, response) => {
      response.writeHead(302, { location: 'https://client.example/published' });
      response.end();
    });
    documents.answers.set('/cut', (_request, response) => response.destroy());
    const helpers = 'its network or proxy may not let it reach client.example. If it can, tell the app&#39;s makers.';
    for (const [path, why] of [
      ['/missing', ': the document&#39;s address answered 404. Try again'],
      ['/moved', ': the document&#39;s address answered 302. Try again'],
      // the page does not say what a name resolves to, nor how connections fail
      ['/cut', '. Try again'],
    ]) {
      const step = await open(`https://client.example${path}`);
      expect('page' in step && step.page.status, path).toBe(400);
      const text = 'page' in step ? step.page.text : '';
      expect(text, path).toContain(`could not fetch the description that the app publishes at client.example${why}`);
      expect(text, path).toContain(helpers);
    }
  });

  test('a document that does not arrive is abandoned after three seconds', async () => {
    documents.answers.set('/slow', () => undefined);
    const ask = async () => {
      const step = await open('https://client.example/slow');
      expect('page' in step && step.page.status).toBe(400);
      // it hung, and nothing else ended it
      expect('page' in step && step.page.text).toContain('could not fetch the description');
      expect(documents.requests).toContain('/slow');
    };
    await limitElapsed(20_000, ask, { scales: 'none' });
  });

  test('without the test’s own dispatcher, addresses that are not public are never connected to', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const guarded = await startIdentity({ db });
    started.push(guarded, { close: () => new Promise((resolve) => listener.close(resolve)) });
    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '１２７.0.0.1',
      '0.0.0.0',
    ];
    for (const host of hosts) {
      const step = await open(`https://${host}:${port}/client.json`, 'http://localhost/callback', guarded);
      expect('page' in step && step.page.status, host).toBe(400);
    }
    expect(connections).toBe(0);
  });
});
