import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { freePort } from '#testing/network/free-port.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { knownDocuments } from './oauth/client-documents/known-documents.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';
import { useTokens } from './testing/use-tokens.ts';

describe('clients whose metadata document cannot be fetched', () => {
  let db: Database;
  let documents: DocumentServer;
  let running: RunningIdentity;
  let port: number;
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    port = await freePort();
  });
  beforeEach(async () => {
    await db.query('delete from client_documents');
    documents = await startDocumentServer();
    running = await start();
  });
  afterEach(async () => {
    await running.close();
    await documents.close();
  });
  afterAll(() => db.close());

  const start = () => startIdentity({ db, listenPort: port, documentDispatcher: documents.dispatcher });
  const restart = async () => {
    await running.close();
    running = await start();
  };
  const redirectUri = 'http://localhost:4711/callback';
  const publish = (clientId: string, document: object = {}) =>
    documents.answers.set(new URL(clientId).pathname, (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ client_id: clientId, redirect_uris: ['http://localhost/callback'], ...document }));
    });
  /** Makes the document's host answer 403, or disconnect. */
  const forbid = (clientId: string, how: 'refuses' | 'hangs up' = 'refuses') =>
    documents.answers.set(new URL(clientId).pathname, (request, response) =>
      how === 'refuses' ? response.writeHead(403).end() : request.socket.destroy(),
    );
  const asked = (clientId: string) => documents.requests.filter((path) => path === new URL(clientId).pathname).length;
  const signIn = (clientId: string, redirect = redirectUri) =>
    new ScriptedBrowser(running.publicUrl).signInMcpClient({ clientId, redirectUri: redirect });
  const ageDocument = (clientId: string, interval: string) =>
    db.query(`update client_documents set fetched_at = fetched_at - $2::interval where client_id = $1`, [
      clientId,
      interval,
    ]);
  const { call, refresh } = useTokens(() => running.publicUrl);

  test('a client whose document was valid once signs in and renews after a restart, while its host answers 403', async () => {
    const clientId = 'https://client.example/kept';
    publish(clientId);
    const client = await signIn(clientId);
    forbid(clientId);
    await restart();
    await ageDocument(clientId, '1 hour');
    expect((await refresh(client)).status).toBe(200);
    await restart();
    const again = await signIn(clientId);
    expect(await call(again.accessToken)).toBe(200);
    // it was requested again in the background
    await waitUntil('requested again', () => asked(clientId) >= 2);
  });

  test('a cached document is refetched in the background of its use, and the next use has the new version', async () => {
    const clientId = 'https://client.example/changed';
    publish(clientId);
    await signIn(clientId);
    publish(clientId, { redirect_uris: ['http://localhost/callback', 'http://localhost/second'] });
    await ageDocument(clientId, '1 hour');
    await restart();
    await signIn(clientId);
    await waitUntil('stored again', async () => {
      const { rows } = await db.query<{ metadata: { redirect_uris: string[] } }>(
        `select metadata from client_documents where client_id = $1`,
        [clientId],
      );
      return rows[0]?.metadata.redirect_uris.length === 2;
    });
    await restart();
    const client = await signIn(clientId, 'http://localhost:4712/second');
    expect(await call(client.accessToken)).toBe(200);
  });

  test('while the database is down a renewal is answered 503, never invalid_client', async () => {
    const clientId = 'https://client.example/database';
    publish(clientId);
    const client = await signIn(clientId);
    await running.close();
    const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const query: typeof db.query = async (text, values) => {
      if (text.includes('from client_documents')) throw lost;
      return db.query(text, values);
    };
    running = await startIdentity({ db: { ...db, query }, listenPort: port, documentDispatcher: documents.dispatcher });
    const answer = await refresh(client);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
    await restart();
    expect((await refresh(client)).status).toBe(200);
  });

  test('a recent document is used without a request', async () => {
    const clientId = 'https://client.example/young';
    publish(clientId);
    await signIn(clientId);
    await restart();
    await signIn(clientId);
    await running.close();
    expect(asked(clientId)).toBe(1);
    running = await start();
  });

  test('a document that becomes invalid does not replace the valid one', async () => {
    const clientId = 'https://client.example/spoilt';
    publish(clientId);
    await signIn(clientId);
    publish(clientId, { client_secret: 'shared' });
    await ageDocument(clientId, '1 hour');
    for (let round = 0; round < 2; round++) {
      await restart();
      expect(await call((await signIn(clientId)).accessToken)).toBe(200);
    }
    expect(running.logged()).toContain('only public clients');
  });

  test('well-known clients sign in with their bundled documents if nothing can be fetched', async () => {
    let turn = 0;
    for (const [clientId, { redirect_uris: redirects }] of knownDocuments) {
      forbid(clientId, turn++ % 2 === 0 ? 'hangs up' : 'refuses');
      const redirect = redirects.at(-1) ?? '';
      const client = await signIn(
        clientId,
        redirect.replace('/callback', ':4711/callback').replace(/^(https.*):4711/, '$1'),
      );
      expect(await call(client.accessToken), redirect).toBe(200);
    }
    const { rows } = await db.query(`select 1 from client_documents where client_id = any($1)`, [
      [...knownDocuments.keys()],
    ]);
    // a bundled document is not stored: a successful fetch comes first
    expect(rows).toEqual([]);
  });

  test('the published document of a well-known client takes precedence over the bundled one', async () => {
    const clientId = 'https://zed.dev/oauth/client-metadata.json';
    publish(clientId, { client_name: 'Zed', redirect_uris: ['http://127.0.0.1/elsewhere'], scope: 'mcp:*' });
    const client = await signIn(clientId, 'http://127.0.0.1:4711/elsewhere');
    expect(await call(client.accessToken)).toBe(200);
  });

  test('a client that lists none among its authentication methods is a public client', async () => {
    const clientId = 'https://chatgpt.com/oauth/client.json';
    const document = {
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    };
    publish(clientId, { ...document, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] });
    const [redirect = ''] = document.redirect_uris;
    const client = await signIn(clientId, redirect);
    expect(await call(client.accessToken)).toBe(200);
    expect((await refresh(client)).status).toBe(200);
    const secretive = 'https://client.example/signs-only';
    publish(secretive, document);
    await expect(signIn(secretive, redirect)).rejects.toThrow('stopped at 400');
  });

  test('a cached document that was not used for 90 days is deleted', async () => {
    const [unused, used] = ['https://client.example/unused', 'https://client.example/used'];
    for (const clientId of [unused, used]) {
      publish(clientId);
      await signIn(clientId);
    }
    await db.query(`update client_documents set used_at = now() - interval '91 days' where client_id in ($1, $2)`, [
      unused,
      used,
    ]);
    await restart();
    await signIn(used);
    await running.identity.reap();
    const { rows } = await db.query<{ client_id: string }>(
      `select client_id from client_documents where client_id in ($1, $2)`,
      [unused, used],
    );
    expect(rows).toEqual([{ client_id: used }]);
  });
});
