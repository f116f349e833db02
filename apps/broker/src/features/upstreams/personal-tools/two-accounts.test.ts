import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInPerson, type TestPerson } from '../sign-in/testing/person.ts';
import { signInAt } from '../sign-in/testing/vault.ts';
import { startOAuthFixture, type OAuthFixture } from '../sign-in/testing/oauth-fixture.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, postModern } from '#testing/people/mcp-clients.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import type { Database } from '#platform/db/database.ts';
import { migrations } from '../../../migrations.ts';

const people = ['ann', 'bob'] as const;
type Who = (typeof people)[number];
const other = { ann: 'bob', bob: 'ann' } as const;

let fixture: OAuthFixture;
let app: TestApp;
const persons = new Map<Who, TestPerson>();
const tokens = new Map<Who, string>();
const statements: string[] = [];

const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' as const } });
const offerOf = (who: Who) => ({
  tools: [tool('common'), tool(`${who}_secret`)],
  prompt: `${who}_prompt`,
  resource: `${who}://file`,
  template: `${who}-files://{name}`,
});

/** A server without a snapshot, which offers different items to each user. */
beforeAll(async () => {
  fixture = await startOAuthFixture();
  app = await startTestApp({ allowAddresses: [fixture.address], db: overheard(await openTestDatabase(migrations)) });
  await deployManifest(app, {
    id: 'vault',
    connection: { type: 'http', url: fixture.url },
    auth: { type: 'oauth' },
  });
  for (const who of people) {
    const email = `${who}@souk.test`;
    persons.set(who, await signInPerson(app.publicUrl, email));
    tokens.set(who, (await app.identity.createPersonalToken({ email, name: 'test' })).token);
    fixture.setToolsOf(who, offerOf(who));
  }
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

/** Records the statements that go to the database. */
function overheard(db: Database): Database {
  return {
    ...db,
    query: (text, values) => {
      statements.push(text);
      return db.query(text, values);
    },
  };
}

const link = () => `${app.publicUrl}/mcp`;
const tokenOf = (who: Who) => tokens.get(who) ?? '';
async function ask(who: Who, method: string, params: Record<string, unknown> = {}, address = link()) {
  return (await postModern(address, tokenOf(who), method, params)).body;
}
async function toolsOf(who: Who): Promise<string[]> {
  const { result } = await ask(who, 'tools/list');
  return JSON.stringify(result).match(/vault__[a-z_]+/g) ?? [];
}
async function signIn(who: Who): Promise<void> {
  const person = persons.get(who);
  if (person) await signInAt(person, fixture, 'vault', who);
}

describe('two accounts, from the sign-in to the disconnect', { shuffle: false }, () => {
  test('a server that requires a sign-in and has no snapshot is connected, and offers nothing to any user before the sign-in', async () => {
    expect(app.catalogue.snapshot().byId.get('vault')).toMatchObject({
      status: 'connected',
      statusDetail: 'Sign-in required',
      tools: [],
    });
    for (const who of people) expect(await toolsOf(who)).toEqual([]);
  });

  test("after a sign-in the user's open session is notified immediately of tools that the shop does not show", async () => {
    const client = await connectLegacy(link(), tokenOf('ann'));
    const notices: string[] = [];
    client.onNotice((method) => notices.push(method));
    await signIn('ann');
    await waitUntil('the notice', async () => notices.includes('notifications/tools/list_changed'));
    await waitUntil('the tools', async () => (await toolsOf('ann')).length > 0);
    expect(await toolsOf('ann')).toEqual(['vault__common', 'vault__ann_secret']);
    expect(await toolsOf('bob')).toEqual([]);
    expect(app.catalogue.snapshot().byId.get('vault')?.tools).toEqual([]);
    await client.close();
    await signIn('bob');
    await waitUntil("Bob's tools", async () => (await toolsOf('bob')).length > 0);
    expect(await toolsOf('bob')).toEqual(['vault__common', 'vault__bob_secret']);
  });

  test.each(people)("everything that %s's account offers can be used, by clients of both eras", async (who) => {
    for (const connect of [connectModern, connectLegacy]) {
      const client = await connect(link(), tokenOf(who));
      expect(await client.callTool({ name: `vault__${who}_secret` })).toMatchObject({
        content: [{ text: `${who}_secret was called` }],
      });
      expect(JSON.stringify(await client.getPrompt({ name: `vault__${who}_prompt` }))).toContain(
        `prompt ${who}_prompt`,
      );
      expect((await client.readResource({ uri: `${who}://file` })).contents).toMatchObject([{ uri: `${who}://file` }]);
      expect((await client.readResource({ uri: `${who}-files://x` })).contents).toHaveLength(1);
      await client.close();
    }
  });

  test.each(people)("nothing of the other user's can be listed, called, read, found or counted by %s", async (who) => {
    const them = other[who];
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
    const found = { name: 'find_tools', arguments: { query: `${them}_secret` } };
    const answers = await Promise.all([
      ...lists.flatMap((method) => [ask(who, method), ask(who, method, {}, `${app.publicUrl}/s/vault/mcp`)]),
      ask(who, 'tools/call', found),
      ask(who, 'tools/call', { name: 'list_my_servers', arguments: {} }),
    ]);
    expect(JSON.stringify(answers)).not.toMatch(new RegExp(`${them}(_|:|-files)`));
    expect(JSON.stringify(answers)).toContain(`${who}_secret`);
    expect(answers.at(-1)?.result).toMatchObject({ structuredContent: { servers: [{ id: 'vault', tools: 2 }] } });

    for (const [name, address] of [
      [`vault__${them}_secret`, link()],
      [`${them}_secret`, `${app.publicUrl}/s/vault/mcp`],
    ] as const) {
      const unknown = { code: -32602, message: `Unknown tool: ${name}` };
      expect((await ask(who, 'tools/call', { name }, address)).error).toMatchObject(unknown);
    }
    const byMeta = { name: 'call_tool', arguments: { name: `vault__${them}_secret` } };
    expect((await ask(who, 'tools/call', byMeta)).error?.message).toBe(`Unknown tool: vault__${them}_secret`);
    expect((await ask(who, 'prompts/get', { name: `vault__${them}_prompt` })).error?.code).toBe(-32602);
    for (const uri of [`${them}://file`, `${them}-files://x`]) {
      expect((await ask(who, 'resources/read', { uri })).error?.message).toBe(`Resource not found: ${uri}`);
    }
    const old = await connectLegacy(link(), tokenOf(who));
    await expect(old.callTool({ name: `vault__${them}_secret` })).rejects.toThrow('Unknown tool');
    await old.close();
  });

  test("a call does not read the user's personal tools from the database", async () => {
    await ask('ann', 'tools/call', { name: 'vault__ann_secret' });
    statements.length = 0;
    for (let count = 0; count < 10; count++) await ask('ann', 'tools/call', { name: 'vault__ann_secret' });
    expect(statements.filter((text) => text.includes('personal_tools'))).toEqual([]);
  });

  test('if two servers of a user have one address, the second one is listed under its name', async () => {
    const ann = persons.get('ann');
    if (!ann) throw new Error('no Ann');
    await deployManifest(app, { id: 'zweit', connection: { type: 'http', url: fixture.url }, auth: { type: 'oauth' } });
    await signInAt(ann, fixture, 'zweit', 'ann');
    const uris = async () => JSON.stringify((await ask('ann', 'resources/list')).result).match(/"uri":"[^"]+"/g);
    await waitUntil('both', async () => (await uris())?.length === 2);
    expect(await uris()).toEqual(['"uri":"ann://file"', '"uri":"souk://zweit/ann://file"']);
    const { result } = await ask('ann', 'resources/read', { uri: 'souk://zweit/ann://file' });
    expect(result).toMatchObject({ contents: [{ uri: 'souk://zweit/ann://file' }] });
    await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/zweit`);
    // also if its name comes first
    await deployManifest(app, {
      id: 'anders',
      connection: { type: 'http', url: fixture.url },
      auth: { type: 'oauth' },
    });
    await signInAt(ann, fixture, 'anders', 'ann');
    await waitUntil('both again', async () => (await uris())?.some((uri) => uri.includes('anders')) ?? false);
    expect((await uris())?.toSorted()).toEqual(['"uri":"ann://file"', '"uri":"souk://anders/ann://file"']);
    await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/anders`);
  });

  test('a switched-off server is named for what it offers to the user; what it offers to another user is unknown', async () => {
    for (const who of people) await persons.get(who)?.call('POST', '/mcp/vault/disable');
    const own = `${app.publicUrl}/s/vault/mcp`;
    const wanted = (name: string): [string, Record<string, unknown>, string?][] => [
      ['tools/call', { name: `vault__${name}_secret`, arguments: {} }],
      ['tools/call', { name: 'call_tool', arguments: { name: `vault__${name}_secret` } }],
      ['tools/call', { name: `${name}_secret`, arguments: {} }, own],
      ['prompts/get', { name: `vault__${name}_prompt` }],
      ['prompts/get', { name: `${name}_prompt` }, own],
      ['resources/read', { uri: `${name}://file` }],
      ['resources/read', { uri: `${name}-files://one` }],
    ];
    const told = async (who: Who, name: string) => {
      const answers = await Promise.all(wanted(name).map((request) => ask(who, ...request)));
      return answers.map((answer) => JSON.stringify(answer));
    };
    for (const who of people) {
      for (const answer of await told(who, who)) expect(answer).toContain('vault is switched off. Turn it on: http');
      const ofOther = await told(who, other[who]);
      expect(ofOther.join()).not.toContain('switched off');
      expect(ofOther.join()).not.toContain('/service/');
      // the same words as for what no user has
      const nobody = (await told(who, 'zed')).map((answer) => answer.replaceAll('zed', other[who]));
      expect(ofOther).toEqual(nobody);
    }
    for (const who of people) await persons.get(who)?.call('POST', '/mcp/vault/enable');
  });

  test('after a disconnect nothing is left in the link or stored', async () => {
    const ann = persons.get('ann');
    await ann?.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
    expect(await toolsOf('ann')).toEqual([]);
    const gone = { code: -32602, message: 'Unknown tool: vault__ann_secret' };
    expect((await ask('ann', 'tools/call', { name: 'vault__ann_secret' })).error).toMatchObject(gone);
    const { rows } = await app.db.query<{ user_id: string }>('select user_id from personal_tools');
    expect(rows).toEqual([{ user_id: persons.get('bob')?.userId }]);
    expect(await toolsOf('bob')).toEqual(['vault__common', 'vault__bob_secret']);
  });
});
