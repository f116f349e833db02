import { testConnection } from '@souk/contract/diagnostics.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let documents: DocumentServer;
let app: TestApp;
beforeAll(async () => {
  documents = await startDocumentServer();
  app = await startTestApp({
    env: { CLIENT_DOCUMENTS: 'on' },
    identity: { documentDispatcher: documents.dispatcher },
  });
});
afterAll(async () => {
  await app?.stop();
  await documents?.close();
});

/** Presses the button on the page as a user who has not done so yet. */
async function selfTest(email: string) {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  const profile = await fetch(`${app.publicUrl}/v2/user/profile`, { headers });
  const { id }: { id: string } = JSON.parse(await profile.text());
  const answer = await fetch(`${app.publicUrl}/api/users/${id}/connections/self-test`, {
    method: 'POST',
    headers,
    body: '{}',
  });
  return testConnection.answer.parse(await answer.json());
}

test('the self-test warns of documents that cannot be fetched: whose, why, and what it means', async () => {
  const claude = 'https://claude.ai/oauth/mcp-oauth-client-metadata';
  documents.answers.set(new URL(claude).pathname, (_request, response) => {
    response.end(JSON.stringify({ client_id: claude, redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] }));
  });
  documents.answers.set('/oauth/client.json', (_request, response) => response.writeHead(403).end());
  documents.answers.set('/oauth/client-metadata.json', (request) => request.socket.destroy());
  const { ok, checks } = await selfTest('ann@souk.test');
  const found = checks.find(({ id }) => id === 'client-documents');
  expect({ ok, status: found?.status }).toEqual({ ok: true, status: 'warned' });
  expect(found?.detail).toContain("ChatGPT (chatgpt.com): the document's address answered 403");
  expect(found?.detail).toContain('Zed (zed.dev): no connection (');
  expect(found?.detail).not.toContain('Claude (');
  expect(found?.detail).toContain('These clients can still sign in');
  expect(found?.advice).toMatch(/^Let the broker reach claude\.ai, vscode\.dev, chatgpt\.com, opencode\.ai, zed\.dev/);
  // another user within a minute sends no requests
  const asked = documents.requests.length;
  expect((await selfTest('bob@souk.test')).checks.find(({ id }) => id === 'client-documents')).toEqual(found);
  expect(documents.requests).toHaveLength(asked);
});
