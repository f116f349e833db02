import { listConnections, type DocumentFault } from '@souk/contract/diagnostics.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

let documents: DocumentServer;
let app: TestApp;
let aheadMs = 0;
beforeAll(async () => {
  documents = await startDocumentServer();
  app = await startTestApp({
    identity: { documentDispatcher: documents.dispatcher },
    clock: { now: () => Date.now() + aheadMs },
  });
});
afterAll(async () => {
  await app?.stop();
  await documents?.close();
});

const chatGpt = 'https://chatgpt.com/oauth/client.json';
const chatGptRedirect = 'https://chatgpt.com/connector_platform_oauth_redirect';
const strange = 'https://client.example/strange.json';
const redirect = 'http://127.0.0.1:4711/callback';
const signIn = (clientId: string, redirectUri: string) =>
  new ScriptedBrowser(app.publicUrl).signInMcpClient({ clientId, redirectUri });

/** Returns what the page "Connections" lists for a user. */
async function faultsFor(email: string): Promise<DocumentFault[]> {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const headers = { authorization: `Bearer ${accessToken}` };
  const profile = await fetch(`${app.publicUrl}/v2/user/profile`, { headers });
  const { id }: { id: string } = JSON.parse(await profile.text());
  const answer = await fetch(`${app.publicUrl}/api/users/${id}/connections`, { headers });
  return listConnections.answer.parse(await answer.json()).documentFaults;
}

test('a private address is reported in words, without what its name resolves to, and not to every user', async () => {
  const inside = await startTestApp();
  const opened = new ScriptedBrowser(inside.publicUrl).signInMcpClient({ clientId: 'https://10.1.2.3/client.json' });
  await expect(opened).rejects.toThrow('stopped at 400');
  await waitUntil('it to be recorded', async () => {
    const { rows } = await inside.db.query<{ fault: string; known_name: string | null }>(
      `select fault, known_name from client_document_faults`,
    );
    return rows.length === 1 && rows[0]?.fault === "the document's address is not public" && !rows[0].known_name;
  });
  await inside.stop();
});

describe('the list of faults, from empty to full', { shuffle: false }, () => {
  test('a document that could not be fetched is listed by client, with its cause and count, until it can be fetched', async () => {
    documents.answers.set('/oauth/client.json', (_request, response) => response.writeHead(403).end());
    await signIn(chatGpt, chatGptRedirect);
    for (let times = 1; times <= 2; times++) {
      await expect(signIn(strange, redirect)).rejects.toThrow('stopped at 400');
      aheadMs += 60_000;
    }
    await waitUntil('both to be recorded', async () => {
      const faults = await faultsFor('admin@souk.test');
      return faults.length === 2 && faults.some(({ times }) => times === 2);
    });

    // the address of another client may contain its name
    expect(await faultsFor('ann@souk.test')).toMatchObject([
      {
        client: 'ChatGPT',
        address: chatGpt,
        fault: "the document's address answered 403",
        times: 1,
        hasCopy: true,
        advice: expect.stringContaining('Sign-in works with the copy'),
      },
    ]);
    const [first] = await faultsFor('admin@souk.test');
    expect(first).toMatchObject({
      client: 'client.example',
      address: strange,
      fault: "the document's address answered 404",
      times: 2,
      hasCopy: false,
      advice: expect.stringContaining("Adding the client again doesn't help"),
    });
    expect(Date.parse(first?.lastAt ?? '') - Date.parse(first?.firstAt ?? '')).toBeGreaterThanOrEqual(60_000);

    documents.answers.set('/strange.json', (_request, response) => {
      response.end(JSON.stringify({ client_id: strange, redirect_uris: ['http://127.0.0.1/callback'] }));
    });
    await signIn(strange, redirect);
    await waitUntil('the fault to be cleared', async () => (await faultsFor('admin@souk.test')).length === 1);
  });

  test('the newest 200 faults of unknown documents are kept, and all of well-known clients', async () => {
    await app.db.query(
      `insert into client_document_faults (client_id, known_name, fault, has_copy, times, first_at, last_at)
       select 'https://x.example/' || n, case when n = 1 then 'Known' end, 'x', false, 1, now() - n * interval '1 minute',
         now() - n * interval '1 minute' from generate_series(1, 250) n`,
    );
    await expect(signIn('https://client.example/one-more', redirect)).rejects.toThrow('400');
    const count = async () => {
      const { rows } = await app.db.query<{ strangers: number; known: number }>(
        `select count(*) filter (where known_name is null)::int as strangers, count(known_name)::int as known
         from client_document_faults`,
      );
      return rows[0];
    };
    await waitUntil('the oldest to be removed', async () => (await count())?.strangers === 200);
    // ChatGPT's document and the one above
    expect((await count())?.known).toBe(2);
    expect((await faultsFor('admin@souk.test')).length).toBe(20);
  });
});
