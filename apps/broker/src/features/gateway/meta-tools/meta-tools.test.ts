import { putGatewayPreferences } from '@souk/contract/gateway.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern } from '#testing/people/mcp-clients.ts';
import { fixtureTools, startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { metaTools } from './meta-tool-definitions.ts';

let app: TestApp;
let fixture: HttpFixture;
let token: string;
let tokenId: string;
let webToken: string;
let userId: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  const echo = fixtureTools.find(({ name }) => name === 'echo');
  if (!echo) throw new Error('the fixture has no echo');
  const reading = {
    ...echo,
    name: 'echo',
    description: 'Says it again.',
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  };
  fixture.setTools([...fixtureTools.filter(({ name }) => name !== 'echo'), reading]);
  app = await startTestApp({ allowAddresses: [fixture.address] });
  const http = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'one', connection: http });
  await deployManifest(app, { id: 'two', connection: http });
  await deployManifest(app, { id: 'paid', connection: http, billing: { tier: 'T2' } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  webToken = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' })).accessToken;
  const { rows } = await app.db.query<{ id: string; user_id: string }>('select id, user_id from personal_tokens');
  tokenId = rows[0]?.id ?? '';
  userId = rows[0]?.user_id ?? '';
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const foundSchema = z.object({ tools: z.array(z.object({ name: z.string(), readOnly: z.boolean() }).loose()) });
const serversSchema = z.object({
  servers: z.array(z.object({ id: z.string(), switchedOn: z.boolean(), tools: z.number() }).loose()),
});
const text = (result: { content?: unknown }) => z.array(z.object({ text: z.string() })).parse(result.content)[0]?.text;
const metaNames = metaTools.map(({ name }) => name);

async function web(method: string, path: string, body?: object) {
  const response = await fetch(`${app.publicUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${webToken}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
const lastCall = async () => (await usageRows(app)).at(-1);

describe.each([
  ['modern', connectModern],
  ['legacy', connectLegacy],
] as const)('the tools that find and call other tools (%s)', (_era, connect) => {
  test('come first in the list of /mcp, and are not on the link of one server', async () => {
    const all = await connect(`${app.publicUrl}/mcp`, token);
    expect((await all.listTools()).tools.slice(0, metaNames.length).map(({ name }) => name)).toEqual(metaNames);
    await all.close();
    const one = await connect(`${app.publicUrl}/s/one/mcp`, token);
    const names = (await one.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => metaNames.some((meta) => meta === name))).toEqual([]);
    await expect(one.callTool({ name: 'find_tools', arguments: { query: 'echo' } })).rejects.toMatchObject({
      code: -32602,
    });
    await one.close();
  });

  test("ask Claude Code to keep them loaded, which a server's tool cannot do on the shared link", async () => {
    const loadedAt = async (path: string) => {
      const client = await connect(`${app.publicUrl}${path}`, token);
      const { tools } = await client.listTools();
      await client.close();
      return tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name);
    };
    expect(await loadedAt('/mcp')).toEqual(metaNames);
    expect(await loadedAt('/s/one/mcp')).toEqual(['echo']);
  });

  test('find only tools that this user may use', async () => {
    const client = await connect(`${app.publicUrl}/mcp`, token);
    const found = await client.callTool({ name: 'find_tools', arguments: { query: 'say it again', limit: 5 } });
    const { tools } = foundSchema.parse(found.structuredContent);
    expect(tools.slice(0, 2).map(({ name }) => name)).toEqual(['one__echo', 'two__echo']);
    expect(tools[0]).toMatchObject({ readOnly: true, creditCost: 0, inputSchema: { type: 'object' } });
    expect(JSON.stringify(tools)).not.toContain('paid__');
    expect(JSON.parse(text(found) ?? '')).toEqual(found.structuredContent);
    const nothing = await client.callTool({ name: 'find_tools', arguments: { query: 'zzz qqq' } });
    expect(text(nothing)).toContain('No tool matches');
    await client.close();
  });

  test('call a tool exactly as if it had been called directly', async () => {
    const client = await connect(`${app.publicUrl}/mcp`, token);
    const call = (name: string, tool: string, given: object = {}) =>
      client.callTool({ name, arguments: { name: tool, arguments: given } });
    expect(text(await call('call_read_only_tool', 'one__echo', { text: 'hi' }))).toBe('hi');
    expect(await lastCall()).toMatchObject({ serverId: 'one', name: 'echo', outcome: 'ok', reason: null });

    const refused = await call('call_read_only_tool', 'one__region', { region: 'west' });
    expect(refused).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_read_only' } });
    expect(text(await call('call_tool', 'one__region', { region: 'west' }))).toBe('west');
    expect(await lastCall()).toMatchObject({ serverId: 'one', name: 'region' });

    // an upstream's error, a server that is not included and an unknown name are answered as in a direct call
    await expect(call('call_tool', 'one__refuse')).rejects.toMatchObject({ code: -32050 });
    for (const name of ['nowhere__echo', 'call_tool']) {
      for (const meta of ['call_tool', 'call_read_only_tool']) {
        await expect(call(meta, name), `${meta} ${name}`).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining(`Unknown tool: ${name}`),
        });
      }
    }
    const notIncluded = await call('call_tool', 'paid__echo');
    expect(notIncluded).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
    const progress: number[] = [];
    const slow = { name: 'one__slow', arguments: { steps: 3, everyMs: 10 } };
    await client.callTool(
      { name: 'call_tool', arguments: slow },
      { onprogress: ({ progress: step }) => progress.push(step) },
    );
    expect(progress).toEqual([1, 2, 3]);
    await client.close();
  });

  test('explain invalid arguments in a sentence', async () => {
    const client = await connect(`${app.publicUrl}/mcp`, token);
    for (const [name, given] of [
      ['find_tools', {}],
      ['find_tools', { query: 'x', limit: 0 }],
      ['call_tool', { arguments: {} }],
      ['call_read_only_tool', { name: 7 }],
    ] as const) {
      const result = await client.callTool({ name, arguments: given });
      expect(result, name).toMatchObject({ isError: true, _meta: { 'souk/code': 'invalid_arguments' } });
    }
    await client.close();
  });

  test('call a server that was just switched on, for a client that keeps its first list', async () => {
    await web('POST', '/mcp/two/disable');
    const client = await connect(`${app.publicUrl}/mcp`, token);
    expect((await client.listTools()).tools.some(({ name }) => name === 'two__echo')).toBe(false);
    const servers = async () =>
      serversSchema.parse((await client.callTool({ name: 'list_my_servers', arguments: {} })).structuredContent)
        .servers;
    expect((await servers()).map(({ id, switchedOn }) => `${id} ${switchedOn}`)).toEqual(['one true', 'two false']);
    // the instructions on /mcp are ours: those of each server are listed here
    expect(await servers()).toMatchObject([{ instructions: 'be kind' }, { instructions: 'be kind' }]);
    expect((await servers()).map(({ toolPrefix }) => toolPrefix)).toEqual(['one__', 'two__']);
    await web('POST', '/mcp/two/enable');
    const call = { name: 'call_tool', arguments: { name: 'two__echo', arguments: { text: 'at once' } } };
    expect(text(await client.callTool(call))).toBe('at once');
    expect((await servers()).every(({ switchedOn }) => switchedOn)).toBe(true);
    await client.close();
  });
});

describe('compact mode', () => {
  const path = () => `/api/users/${userId}/gateway-preferences`;

  test('lists only the tools that find and call others, for the user or for one token, and notifies open clients', async () => {
    const client = await connectLegacy(`${app.publicUrl}/mcp`, token);
    let told = 0;
    client.onNotice((method) => {
      if (method === 'notifications/tools/list_changed') told++;
    });
    const count = async () => (await client.listTools()).tools.length;
    const whole = await count();
    expect(whole).toBe(metaNames.length + 2 * fixtureTools.length);
    expect(await web('GET', path())).toMatchObject({
      status: 200,
      body: {
        compactMode: false,
        tokens: {},
        visibleTools: 2 * fixtureTools.length,
        helperTools: metaNames.length,
        askingTools: 0,
        compactSuggested: false,
      },
    });

    expect(await web('PUT', path(), { compactMode: true })).toMatchObject({ status: 200, body: { compactMode: true } });
    await waitUntil('the client to be notified', () => told > 0);
    expect(await count()).toBe(metaNames.length);
    const call = { name: 'call_read_only_tool', arguments: { name: 'one__echo', arguments: { text: 'hi' } } };
    expect(text(await client.callTool(call))).toBe('hi');

    await web('PUT', path(), { compactMode: true, tokens: { [tokenId]: false } });
    expect(await count()).toBe(whole);
    await web('PUT', path(), { compactMode: false, tokens: { [tokenId]: true } });
    expect(await count()).toBe(metaNames.length);
    await web('PUT', path(), { compactMode: false });
    await client.close();
  });

  test("is offered above 60 tools, and only the user's own token can change it", async () => {
    const many = Array.from({ length: 62 }, (_, number) => ({
      name: `tool_${number}`,
      inputSchema: { type: 'object' as const },
    }));
    const crowd = await startHttpFixture('modern');
    onTestFinished(() => crowd.close());
    crowd.setTools(many);
    const other = await startTestApp({ allowAddresses: [crowd.address] });
    onTestFinished(() => other.stop());
    await deployManifest(other, { id: 'crowd', connection: { type: 'http', url: crowd.url } });
    const bob = (await new ScriptedBrowser(other.publicUrl).signInWeb({ email: 'bob@souk.test' })).accessToken;
    const profile = await fetch(`${other.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${bob}` } });
    const { id } = z.object({ id: z.string() }).parse(await profile.json());
    const answer = await fetch(`${other.publicUrl}/api/users/${id}/gateway-preferences`, {
      headers: { authorization: `Bearer ${bob}` },
    });
    expect(putGatewayPreferences.answer.parse(await answer.json())).toMatchObject({
      visibleTools: 62,
      compactSuggested: true,
    });

    expect((await web('GET', `/api/users/${id}/gateway-preferences`)).status).toBe(404);
    expect((await web('PUT', `/api/users/${id}/gateway-preferences`, { compactMode: true })).status).toBe(404);
    for (const body of [{}, { compactMode: 'yes' }, { compactMode: true, tokens: { a: 1 } }]) {
      expect((await web('PUT', path(), body)).status).toBe(400);
    }
    const byPersonalToken = await fetch(`${app.publicUrl}${path()}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ compactMode: true }),
    });
    expect(byPersonalToken.status).toBe(401);
  });
});
