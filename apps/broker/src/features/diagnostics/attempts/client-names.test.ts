import { listConnectedApps } from '@souk/contract/connected-apps.ts';
import { listCalls } from '@souk/contract/usage.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDocumentServer, type DocumentServer } from '#testing/servers/document-server.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { newPerson, stepOf } from '../testing/connecting.ts';

let app: TestApp;
let documents: DocumentServer;
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

type Person = Awaited<ReturnType<typeof newPerson>>;

/** Calls as a program that claims any name. */
function callAs(token: string, clientInfo: { name: string; version: string }, agent: string) {
  const params = {
    name: 'list_my_servers',
    arguments: {},
    _meta: { 'io.modelcontextprotocol/clientInfo': clientInfo },
  };
  return postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params, { 'user-agent': agent });
}

async function appsOf(person: Person) {
  const answer = await person.api(`/api/users/${person.id}/connected-apps`);
  return listConnectedApps.answer.parse(await answer.json()).apps;
}
const appNames = async (person: Person) => (await appsOf(person)).map(({ clientName }) => clientName);
const attemptNames = async (person: Person) => (await person.attempts()).map(({ client }) => client.name);

/** Returns the client names of the user's calls, newest first, once there are this many. */
async function callNames(person: Person, count: number): Promise<string[]> {
  // resolves when the attempts are written
  await person.attempts();
  let names: string[] = [];
  await waitUntil('the calls to be written', async () => {
    const { calls } = listCalls.answer.parse(await (await person.api(`/api/users/${person.id}/calls`)).json());
    names = calls.map(({ client }) => client.name);
    return names.length >= count;
  });
  return names;
}

test('a client has the name in its document and the version that it reported, everywhere, and never the name of its host', async () => {
  const person = await newPerson(app.publicUrl);
  const clientId = 'https://client.example/names.json';
  const redirectUri = 'http://localhost/callback';
  documents.answers.set('/names.json', (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ client_id: clientId, client_name: 'Claude Code', redirect_uris: [redirectUri] }));
  });
  const signIn = { email: person.email, clientId, redirectUri };
  const { accessToken } = await person.browser.signInMcpClient(signIn);
  const info = { name: 'fallback-test\u202E', version: '2.1.330' };
  expect((await callAs(accessToken, info, 'anything/9')).status).toBe(200);
  expect(await callNames(person, 1)).toEqual(['Claude Code 2.1']);
  expect(await attemptNames(person)).toEqual(['Claude Code 2.1']);
  const [connected] = await appsOf(person);
  expect(connected).toMatchObject({ clientName: 'Claude Code 2.1', publishedBy: 'client.example' });

  await person.api(`/api/users/${person.id}/connected-apps/${connected?.id}`, { method: 'DELETE' });
  expect(await callNames(person, 1)).toEqual(['Claude Code']);
});

test('two clients of one name are distinguished, in the log of calls as among the apps', async () => {
  const person = await newPerson(app.publicUrl);
  const info = { name: 'x', version: '0.169.0' };
  for (const port of [4701, 4702]) {
    const { accessToken } = await person.browser.signInMcpClient({
      email: person.email,
      clientName: 'Codex',
      redirectUri: `http://127.0.0.1:${port}/callback`,
    });
    await callAs(accessToken, info, 'codex/0.169');
  }
  expect(await callNames(person, 2)).toEqual(['Codex 0.169 (2)', 'Codex 0.169']);
  expect(await appNames(person)).toEqual(['Codex 0.169 (2)', 'Codex 0.169']);
  expect(await attemptNames(person)).toEqual(['Codex 0.169 (2)', 'Codex 0.169']);
});

test('programs with the user agent of their runtime are distinguished by the names that they give, in both eras', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('laptop');
  // before its name is known, and again when a request does not contain it
  const nameless = () => postModern(`${app.publicUrl}/mcp`, token, 'tools/list', {}, { 'user-agent': 'node' });
  await nameless();
  expect(await attemptNames(person)).toEqual(['Node.js']);
  const session = await openSession(`${app.publicUrl}/mcp`, token, {
    clientInfo: { name: 'importer', version: '0.2.0' },
  });
  expect(await attemptNames(person), 'it has replaced the nameless attempt').toEqual(['importer 0.2']);
  await callAs(token, { name: 'report\u202E-writer', version: '3.1.4' }, 'node');
  expect(await attemptNames(person)).toEqual(['report -writer 3.1', 'importer 0.2']);

  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'list_my_servers', arguments: {} } };
  await postRaw(`${app.publicUrl}/mcp`, JSON.stringify(call), session);
  const importer = (await person.attempts()).find(({ client }) => client.name === 'importer 0.2');
  expect(importer && stepOf(importer, 'first-call').status).toBe('passed');

  // a request that does not name its program belongs to the newest one, and recovers with it
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  await postRaw(`${app.publicUrl}/mcp`, JSON.stringify(list), { ...session, 'mcp-session-id': 'gone' });
  expect((await person.attempts()).map(({ client, status }) => `${client.name}: ${status}`)).toEqual([
    'importer 0.2: failed',
    'report -writer 3.1: working',
  ]);
  await postRaw(`${app.publicUrl}/mcp`, JSON.stringify(call), session);
  expect((await person.attempts()).map(({ status }) => status)).toEqual(['working', 'working']);
  expect(await callNames(person, 3)).toEqual(['laptop', 'laptop', 'laptop']);
});

test('a name that a program uses to test a link is not its name', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('laptop');
  await callAs(token, { name: 'mcp-remote-fallback-test', version: '0.0.0' }, 'node');
  expect(await attemptNames(person)).toEqual(['Node.js']);
});

test('the user agent names a program with a token, and clientInfo does not', async () => {
  const person = await newPerson(app.publicUrl);
  const { token } = await person.createToken('laptop');
  for (const name of ['fallback-test', 'another name']) {
    await callAs(token, { name, version: '7.7' }, 'claude-code/2.1.330 (cli)');
  }
  expect(await attemptNames(person)).toEqual(['Claude Code 2.1']);
  expect(await callNames(person, 2)).toEqual(['laptop', 'laptop']);
});
