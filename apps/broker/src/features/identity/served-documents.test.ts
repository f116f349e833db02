import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';
import { useTokens } from './testing/use-tokens.ts';

const native = { response_types: ['code'], token_endpoint_auth_method: 'none' };
const both = ['authorization_code', 'refresh_token'];
/** Documents as their publishers had them in November 2026, and a redirect address that the client then uses. */
const published = [
  {
    asked: 'https://chatgpt.com/connector_platform_oauth_redirect',
    document: {
      client_id: 'https://chatgpt.com/oauth/client.json',
      client_uri: 'https://chatgpt.com/',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      grant_types: both,
      response_types: ['code'],
      client_name: 'ChatGPT',
      logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    },
  },
  {
    asked: 'https://claude.ai/api/mcp/auth_callback',
    document: {
      client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: both,
      ...native,
    },
  },
  {
    asked: 'http://127.0.0.1:33418/',
    document: {
      client_id: 'https://vscode.dev/oauth/client-metadata.json',
      client_name: 'Visual Studio Code',
      logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png',
      client_uri: 'https://vscode.dev/product',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      grant_types: [...both, 'urn:ietf:params:oauth:grant-type:device_code'],
      application_type: 'native',
      ...native,
    },
  },
  {
    asked: 'http://127.0.0.1:40123/callback',
    document: {
      client_id: 'https://zed.dev/oauth/client-metadata.json',
      client_name: 'Zed',
      client_uri: 'https://zed.dev',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code'],
      scope: 'mcp:*',
      ...native,
    },
  },
];

let db: Database;
let documents: DocumentServer;
let running: RunningIdentity;
beforeAll(async () => {
  db = await openTestDatabase(migrations);
  documents = await startDocumentServer();
  running = await startIdentity({ db, documentDispatcher: documents.dispatcher });
});
afterAll(async () => {
  await running.close();
  await documents.close();
  await db.close();
});
const { call } = useTokens(() => running.publicUrl);

test.each(published)(
  '$document.client_name signs in with the document that it publishes',
  async ({ asked, document }) => {
    const { pathname } = new URL(document.client_id);
    documents.answers.set(pathname, (_request, response) => response.end(JSON.stringify(document)));
    const signedIn = await new ScriptedBrowser(running.publicUrl).signInMcpClient({
      clientId: document.client_id,
      redirectUri: asked,
    });
    expect(await call(signedIn.accessToken)).toBe(200);
    expect(documents.requests).toContain(pathname);
    expect(running.logged()).not.toContain('could not be fetched');
  },
);
