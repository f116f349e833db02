import type { McpSubscription } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { connectOverheard, type OverheardClient } from '../testing/overheard-client.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

const people = ['ann', 'bob'] as const;
type Who = (typeof people)[number];
const eras = { old: 'legacy', new: { pin: '2026-07-28' } } as const;

let app: TestApp;
let old: TellingServer;
let modern: TellingServer;
const tokens = { ann: '', bob: '' };
const web = { ann: '', bob: '' };

beforeAll(async () => {
  [old, modern] = await Promise.all([startTellingServer('legacy'), startTellingServer('modern')]);
  app = await startTestApp({ allowAddresses: [old.address, modern.address] });
  await deployManifest(app, { id: 'old', connection: { type: 'http', url: old.url } });
  await deployManifest(app, { id: 'new', connection: { type: 'http', url: modern.url } });
  for (const who of people) {
    const email = `${who}@souk.test`;
    ({ accessToken: web[who] } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email }));
    ({ token: tokens[who] } = await app.identity.createPersonalToken({ email, name: 'test' }));
  }
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([old?.close(), modern?.close()]);
});

const link = () => `${app.publicUrl}/mcp`;
const say = (who: Who, what: string) => `${who}-says-${what}`;
/** Both servers have this URI; that of the second gets the server's name as a prefix. */
const addresses = { old: 'note://', new: 'souk://new/note://' };

/** Uses every method of a client, each with data that belongs only to this user. */
async function walk({ client, notices }: OverheardClient, who: Who, era: keyof typeof eras): Promise<void> {
  const isModern = era === 'new';
  for (const upstream of ['old', 'new'] as const) {
    const call = (tool: string, what: string) =>
      client.callTool({ name: `${upstream}__${tool}`, arguments: { text: say(who, what) } });
    expect(JSON.stringify(await client.listTools())).toContain(`${upstream}__echo`);
    expect(JSON.stringify(await client.listPrompts())).toContain(`${upstream}__say`);
    expect((await client.listResources()).resources.length).toBeGreaterThan(1);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.length).toBeGreaterThan(1);

    expect(JSON.stringify(await call('echo', 'echo'))).toContain(say(who, 'echo'));
    expect(JSON.stringify(await call('ask', 'ask'))).toContain(`${who}-answer`);
    const progress: unknown[] = [];
    const reported = await client.callTool(
      {
        name: `${upstream}__report`,
        arguments: { text: say(who, 'report') },
        ...(isModern && { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }),
      },
      { onprogress: ({ message }) => progress.push(message) },
    );
    expect(JSON.stringify(reported)).toContain(say(who, 'report'));
    expect(progress).toEqual([`${say(who, 'report')}-progress`]);

    const { content } = await call('link', 'link');
    const [block] = content;
    if (block?.type !== 'resource_link') throw new Error('no link');
    expect(JSON.stringify(await client.readResource({ uri: block.uri }))).toContain(`hidden://${say(who, 'link')}`);

    const prompt = await client.getPrompt({ name: `${upstream}__say`, arguments: { text: say(who, 'prompt') } });
    expect(JSON.stringify(prompt)).toContain(say(who, 'prompt'));
    const uri = `${addresses[upstream]}${say(who, 'read')}`;
    expect(JSON.stringify(await client.readResource({ uri }))).toContain(say(who, 'read'));
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: `${upstream}__say` },
      argument: { name: 'text', value: say(who, 'complete') },
    });
    // the old server has no completions: the answer is an empty list
    expect(completion.values).toEqual(upstream === 'new' ? [`${say(who, 'complete')}-completed`] : []);
    const byTemplate = await client.complete({
      ref: { type: 'ref/resource', uri: resourceTemplates.at(upstream === 'old' ? 0 : 1)?.uriTemplate ?? '' },
      argument: { name: 'name', value: who },
    });
    expect(byTemplate.completion.values.length).toBeLessThan(2);

    const watched = `${addresses[upstream]}${say(who, `watch-${era}`)}`;
    const own = `note://${say(who, `watch-${era}`)}`;
    let listening: McpSubscription | undefined;
    if (isModern) listening = await client.listen({ resourceSubscriptions: [watched] });
    else await client.subscribeResource({ uri: watched });
    const server = upstream === 'old' ? old : modern;
    const told = () => notices.filter((line) => line.includes('resources/updated') && line.includes(watched)).length;
    // a listen stream subscribes in the background: repeat until the client receives the change
    await waitUntil(`${who} to be notified of ${watched}`, () => {
      if (told() === 0) server.touch(own);
      return told() > 0;
    });
    if (isModern) await listening?.close();
    else await client.unsubscribeResource({ uri: watched });
  }
}

describe('two users who use everything concurrently', () => {
  test.each(['old', 'new'] as const)(
    'a client of the %s era gets its own data and nothing of the other user',
    async (era) => {
      const clients = await Promise.all(people.map((who) => connectOverheard(link(), tokens[who], who, eras[era])));
      const [ann, bob] = clients;
      if (!ann || !bob) throw new Error('the clients are not connected');
      if (era === 'old') await Promise.all(clients.map(({ client }) => client.setLoggingLevel('debug')));
      await Promise.all([walk(ann, 'ann', era), walk(bob, 'bob', era)]);
      for (const what of ['echo', 'report', 'link', 'prompt', 'read']) {
        expect(ann.heard()).toContain(say('ann', what));
        expect(bob.heard()).toContain(say('bob', what));
      }
      expect(ann.heard()).not.toMatch(/bob-/);
      expect(bob.heard()).not.toMatch(/ann-/);
      for (const [index, who] of people.entries()) {
        const logged = clients[index]?.notices.filter((line) => line.includes(`${say(who, 'report')}-log`));
        expect(logged, 'one message from each server').toHaveLength(2);
      }
      expect(old.levels).toContain('debug');
      await Promise.all(clients.map(({ stop }) => stop()));
      await waitUntil('the connection to the old server to end', () => old.subscribed.length === 0);
    },
  );

  test.each(['old', 'new'] as const)('a changed list is announced only to its user (%s era)', async (era) => {
    const [ann, bob] = await Promise.all(people.map((who) => connectOverheard(link(), tokens[who], who, eras[era])));
    if (!ann || !bob) throw new Error('the clients are not connected');
    const toolsChanged = ({ notices }: OverheardClient) => notices.some((line) => line.includes('tools/list_changed'));
    if (era === 'new') {
      await Promise.all([ann, bob].map(({ client }) => client.listen({ toolsListChanged: true })));
    }
    const toggle = (who: Who, way: 'enable' | 'disable') =>
      fetch(`${app.publicUrl}/mcp/new/${way}`, { method: 'POST', headers: { authorization: `Bearer ${web[who]}` } });
    expect((await toggle('ann', 'disable')).status).toBe(200);
    await waitUntil('ann to be notified', () => toolsChanged(ann));
    expect(JSON.stringify(await ann.client.listTools())).not.toContain('new__echo');
    expect(JSON.stringify(await bob.client.listTools())).toContain('new__echo');
    expect(toolsChanged(bob)).toBe(false);
    await toggle('ann', 'enable');
    // bob gets the notice for his own change
    await toggle('bob', 'disable');
    await waitUntil('bob to be notified of his change', () => toolsChanged(bob));
    await toggle('bob', 'enable');
    await Promise.all([ann.stop(), bob.stop()]);
  });
});

describe("another user's calls, streams and questions", () => {
  const rpc = (id: number | undefined, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params });

  const openSessionOf = (who: Who) => openSession(link(), tokens[who], { capabilities: { roots: {} } });

  test('a call cannot be canceled by its id from another session, nor by another user in their own session', async () => {
    const [ann, bob] = [await openSessionOf('ann'), await openSessionOf('bob')];
    const waiting = postRaw(link(), rpc(7, 'tools/call', { name: 'old__wait', arguments: { text: 'hers' } }), ann);
    await waitUntil('the call to arrive', () => old.waiting.has('hers'));
    const cancel = rpc(undefined, 'notifications/cancelled', { requestId: 7 });
    expect((await postRaw(link(), cancel, bob)).status).toBe(202);
    const stolen = { ...bob, 'mcp-session-id': ann['mcp-session-id'] };
    expect((await postRaw(link(), cancel, stolen)).status).toBe(404);
    // after a later exchange over the same sessions, a cancellation would have arrived too
    expect((await postRaw(link(), rpc(8, 'tools/call', { name: 'old__echo', arguments: {} }), bob)).status).toBe(200);
    expect(old.cancelled).not.toContain('hers');
    old.waiting.get('hers')?.();
    expect((await waiting).text).toContain('hers');
  });

  test('a stream cannot be resumed by another user with Last-Event-ID, and a session cannot be ended', async () => {
    const [ann, bob] = [await openSessionOf('ann'), await openSessionOf('bob')];
    const call = rpc(1, 'tools/call', { name: 'old__echo', arguments: { text: 'only for ann' } });
    // from this revision on, a stream begins with an event that Last-Event-ID can name
    // an unusual content type goes to the SDK, which answers in a stream immediately
    const type = 'application/json; charset=utf-8';
    const answered = await postRaw(link(), call, {
      ...ann,
      'mcp-protocol-version': '2025-11-25',
      'content-type': type,
    });
    const [, eventId = ''] = /^id: (.+)$/m.exec(answered.text) ?? [];
    expect(eventId).not.toBe('');
    const resume = (headers: Record<string, string>, signal?: AbortSignal) =>
      fetch(link(), {
        headers: { ...headers, accept: 'text/event-stream', 'last-event-id': eventId },
        ...(signal && { signal }),
      });
    // her own session has the response …
    expect(await (await resume(ann)).text()).toContain('only for ann');
    // … through his token it does not exist …
    expect((await resume({ ...bob, 'mcp-session-id': ann['mcp-session-id'] })).status).toBe(404);
    // … and his own session knows no such event
    const abort = new AbortController();
    const his = await resume(bob, abort.signal);
    const reader = his.body?.getReader();
    const first = reader?.read().then(
      ({ value }) => new TextDecoder().decode(value),
      () => '',
    );
    expect((await postRaw(link(), rpc(2, 'ping'), bob)).status).toBe(200);
    abort.abort();
    expect((await first) ?? '').not.toContain('only for ann');
    const end = await fetch(link(), {
      method: 'DELETE',
      headers: { ...bob, 'mcp-session-id': ann['mcp-session-id'] },
    });
    expect(end.status).toBe(404);
    expect((await postRaw(link(), rpc(3, 'ping'), ann)).status).toBe(200);
  });

  test('a question to one user cannot be answered by another', async () => {
    const round = async (who: Who, upstream: string, more: object = {}) => {
      const name = `${upstream}__ask`;
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      };
      return postRaw(link(), rpc(1, 'tools/call', { name, arguments: { text: 'hers' }, ...more, _meta: meta }), {
        authorization: `Bearer ${tokens[who]}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      });
    };
    for (const upstream of ['old', 'new']) {
      const { result = {} } = (await round('ann', upstream)).body;
      const { requestState } = result;
      const [key = ''] = Object.keys(Object(result['inputRequests']));
      const answer = (who: string) => ({
        requestState,
        inputResponses: { [key]: { action: 'accept', content: { name: `${who}-answer` } } },
      });
      expect((await round('bob', upstream, answer('bob'))).body.error).toMatchObject({ code: -32602 });
      const hers = JSON.stringify((await round('ann', upstream, answer('ann'))).body.result);
      expect(hers).toContain('ann-answer');
      expect(hers).not.toContain('bob');
    }
  });
});
