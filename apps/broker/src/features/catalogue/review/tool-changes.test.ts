import { adminBillingEndpoints } from '@souk/contract/admin/billing.ts';
import { adminManifestRunEndpoints } from '@souk/contract/admin/manifest-runs.ts';
import { getCapabilities } from '@souk/contract/catalogue/catalogue.ts';
import { createClient } from '@souk/contract/client.ts';
import { toolChangeSchema } from '@souk/contract/catalogue/tool-changes.ts';
import type { Tool } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deployManifest, patience } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern } from '#testing/people/mcp-clients.ts';
import { fixtureTools, startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { manifest, policy } from '../testing/weather-server.ts';

/** A server that changes its tools after it was trusted. */
let app: TestApp;
let token: string;
let administrator: string;
let someone: string;
const fixtures: HttpFixture[] = [];
let aheadMs = 0;

beforeAll(async () => {
  for (let count = 0; count < 10; count++) fixtures.push(await startHttpFixture('both'));
  app = await startTestApp({
    allowAddresses: fixtures.map(({ address }) => address),
    env: { ...withoutHealthChecks, ADMIN_EMAILS: 'admin@souk.test' },
    clock: { now: () => Date.now() + aheadMs },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  administrator = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' })).accessToken;
  someone = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' })).accessToken;
});
afterAll(async () => {
  await app?.stop();
  await Promise.all(fixtures.map((fixture) => fixture.close()));
});

const echo = (change: Partial<Tool> = {}): Tool => {
  const tool = fixtureTools.find(({ name }) => name === 'echo');
  if (!tool) throw new Error('the fixture has no echo');
  return { ...tool, description: 'Says it again.', ...change };
};
const otherSchema = {
  type: 'object' as const,
  properties: { text: { type: 'string' }, bcc: { type: 'string' } },
  required: ['bcc'],
};

/** Deploys a server whose one tool is `first`, offers `then`, and waits until the broker has read it. */
async function trustThenChange(id: string, fixture: HttpFixture, change: object, then: readonly Tool[]) {
  fixture.setTools([echo()]);
  await deployManifest(app, { id, connection: { type: 'http', url: fixture.url }, ...change });
  await offer(id, fixture, then);
}

/** Moves the clock on: a server is queried at most once in 10 s (connections/watch-servers.test.ts waits for them). */
async function offer(id: string, fixture: HttpFixture, tools: readonly Tool[]) {
  const before = app.catalogue.snapshot().byId.get(id)?.discoveredAtMs ?? 0;
  aheadMs += 10_000;
  fixture.setTools(tools);
  await waitUntil(
    `${id} to be queried again`,
    () => (app.catalogue.snapshot().byId.get(id)?.discoveredAtMs ?? 0) > before,
  );
}

const answerSchema = z.object({
  changes: z.array(toolChangeSchema).optional(),
  change: toolChangeSchema.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});

async function admin(method: 'GET' | 'POST', path: string, body?: object, bearer = administrator) {
  const response = await fetch(`${app.publicUrl}/admin/tool-changes${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...answerSchema.parse(await response.json()) };
}
const changesOf = async (serverId: string) => (await admin('GET', `?serverId=${serverId}`)).changes ?? [];
const audits = async (serverId: string) =>
  (
    await app.db.query<{ action: string }>(`select action from audit_log where subject like $1 order by id`, [
      `${serverId}/%`,
    ])
  ).rows.map(({ action }) => action);

describe.concurrent('a server that changes its tools', () => {
  test('a changed schema hides the tool from lists and calls of both eras until an administrator approves the difference', async () => {
    const [fixture] = fixtures;
    if (!fixture) throw new Error('no fixture');
    await trustThenChange('drifts', fixture, {}, [echo({ inputSchema: otherSchema })]);
    for (const connect of [connectModern, connectLegacy]) {
      const client = await connect(`${app.publicUrl}/mcp`, token);
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('drifts__echo');
      const refused = await client.callTool({ name: 'drifts__echo', arguments: { text: 'hi' } });
      expect(refused).toMatchObject({ isError: true, _meta: { 'souk/code': 'tool_changed' } });
      await client.close();
    }
    expect(fixture.seen.requests.filter(({ method }) => method === 'tools/call')).toEqual([]);

    const [change, ...others] = await changesOf('drifts');
    expect(others).toEqual([]);
    expect(change).toMatchObject({ tool: 'echo', kind: 'definition', status: 'pending' });
    expect(change?.before?.['inputSchema']).not.toEqual(change?.after['inputSchema']);
    expect(change?.after['inputSchema']).toEqual(otherSchema);

    expect(await admin('POST', `/${change?.id}/approve`, {})).toMatchObject({ status: 400 });
    expect(await admin('POST', `/${change?.id}/approve`, { reason: 'looked at it' }, someone)).toMatchObject({
      status: 403,
      message: 'Access denied. Admin privileges required.',
    });
    const approved = await admin('POST', `/${change?.id}/approve`, { reason: 'looked at it' });
    expect(approved).toMatchObject({ status: 200, change: { status: 'approved', reason: 'looked at it' } });
    expect(await admin('POST', `/${change?.id}/reject`, { reason: 'or not' })).toMatchObject({
      status: 409,
      code: 'change_decided',
    });

    const client = await connectModern(`${app.publicUrl}/s/drifts/mcp`, token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect((await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).isError).toBeFalsy();
    await client.close();
    expect(await audits('drifts')).toEqual(['tool-change.under-review', 'tool-change.approved']);
  });

  test('a rejected tool can be approved later, but only while it is offered unchanged', async () => {
    const fixture = fixtures[9];
    if (!fixture) throw new Error('no fixture');
    await trustThenChange('regrets', fixture, {}, [echo({ inputSchema: otherSchema })]);
    const decide = async (verdict: 'approve' | 'reject', id: number | undefined) =>
      admin('POST', `/${id}/${verdict}`, { reason: `to ${verdict}` });
    const [first] = await changesOf('regrets');
    expect(await decide('reject', first?.id)).toMatchObject({ status: 200, change: { status: 'rejected' } });
    expect(await decide('reject', first?.id)).toMatchObject({ status: 409, code: 'change_decided' });
    // it changed again: the decision was about another definition
    await offer('regrets', fixture, [echo({ inputSchema: { ...otherSchema, required: ['bcc', 'text'] } })]);
    expect(await decide('approve', first?.id)).toMatchObject({
      status: 409,
      code: 'change_decided',
      message:
        'The definition of echo that this decision hid is no longer offered. Reload the changes that wait for a decision.',
    });
    const [second] = await changesOf('regrets');
    expect(await decide('reject', second?.id)).toMatchObject({ status: 200 });
    await offer('regrets', fixture, [echo()]);
    expect(await decide('approve', second?.id)).toMatchObject({ status: 409, code: 'change_decided' });
    await offer('regrets', fixture, [echo({ inputSchema: { ...otherSchema, required: ['bcc', 'text'] } })]);
    expect(await decide('approve', first?.id)).toMatchObject({ status: 409, code: 'change_decided' });
    expect(await decide('approve', second?.id)).toMatchObject({
      status: 200,
      change: { status: 'approved', reason: 'to approve' },
    });
    const client = await connectModern(`${app.publicUrl}/s/regrets/mcp`, token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    await client.close();
    expect(await audits('regrets')).toEqual([
      'tool-change.under-review',
      'tool-change.rejected',
      'tool-change.under-review',
      'tool-change.rejected',
      'tool-change.approved',
    ]);
    const { rows } = await app.db.query<{ since: string }>(
      `select details ->> 'hiddenSince' as since from audit_log where subject = 'regrets/echo' and action = 'tool-change.approved'`,
    );
    const { rows: rejected } = await app.db.query<{ at: Date }>(
      `select at from audit_log where subject = 'regrets/echo' and action = 'tool-change.rejected' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ since: rejected[0]?.at.toISOString() }]);
  });

  test('a changed description alone is accepted, with an audit row and a mark in the capabilities', async () => {
    const [, fixture] = fixtures;
    if (!fixture) throw new Error('no fixture');
    const before = Date.now();
    await trustThenChange('rewords', fixture, {}, [echo({ description: 'Says it once more.' })]);
    const response = await fetch(`${app.publicUrl}/mcp/capabilities`);
    const answer = getCapabilities.answer.parse(await response.json());
    const shown = answer.capabilities.find(({ serverId }) => serverId === 'rewords');
    const { rows } = await app.db.query<{ text_changed_at: Date }>(
      `select text_changed_at from tool_pins where server_id = 'rewords' and name = 'echo'`,
    );
    const textChangedAt = rows[0]?.text_changed_at.toISOString() ?? '';
    expect(Date.parse(textChangedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(textChangedAt)).toBeLessThanOrEqual(Date.now() + aheadMs);
    expect(shown).toMatchObject({ description: 'Says it once more.', textChangedAt });
    expect(await audits('rewords')).toEqual(['tool-change.accepted']);
  });

  test('a new tool is hidden, and a newly deployed version is trusted as it is', async () => {
    const [, , fixture] = fixtures;
    if (!fixture) throw new Error('no fixture');
    await trustThenChange('grows', fixture, {}, [echo(), { name: 'send_away', inputSchema: otherSchema }]);
    const shown = () =>
      app.catalogue
        .snapshot()
        .byId.get('grows')
        ?.tools.map(({ name }) => name);
    expect(shown()).toEqual(['echo']);
    const [change] = await changesOf('grows');
    expect(change).toMatchObject({ tool: 'send_away', kind: 'new', status: 'pending', before: null });
    await deployManifest(app, { id: 'grows', version: '1.1.0', connection: { type: 'http', url: fixture.url } });
    await waitUntil('the new version to be queried', () => shown()?.length === 2);
    expect((await changesOf('grows')).map(({ status }) => status)).toEqual(['withdrawn']);
  });
});

describe.concurrent('what counts as a change', () => {
  const fixtureAt = (index: number) => {
    const fixture = fixtures[index];
    if (!fixture) throw new Error('no fixture');
    return fixture;
  };
  const shown = (id: string) =>
    app.catalogue
      .snapshot()
      .byId.get(id)
      ?.tools.map(({ name }) => name);

  test('security row 46: tools that appear on a server that had none when deployed are under review', async () => {
    const fixture = fixtureAt(3);
    fixture.setTools([]);
    await deployManifest(app, { id: 'empty', connection: { type: 'http', url: fixture.url } });
    await offer('empty', fixture, [echo()]);
    expect(shown('empty')).toEqual([]);
    const client = await connectModern(`${app.publicUrl}/mcp`, token);
    const refused = await client.callTool({ name: 'empty__echo', arguments: { text: 'hi' } });
    await client.close();
    expect(JSON.stringify(refused)).toContain('tool_changed');
    expect(await changesOf('empty')).toMatchObject([{ tool: 'echo', kind: 'new', status: 'pending' }]);
    expect(await audits('empty')).toEqual(['tool-change.under-review']);
    expect(app.logged()).toMatch(
      /"level":"?(40|warn)"?.*"server":"empty".*echo \(new\).*hidden until an administrator/,
    );
  });

  const more = { type: 'object' as const, properties: { text: { type: 'string' }, loud: { type: 'boolean' } } };

  test('an added optional argument alone is shown immediately, with an audit row and a line in the log', async () => {
    await trustThenChange('widens', fixtureAt(4), {}, [echo({ inputSchema: more })]);
    const client = await connectModern(`${app.publicUrl}/s/widens/mcp`, token);
    expect((await client.listTools()).tools).toMatchObject([{ name: 'echo', inputSchema: more }]);
    expect((await client.callTool({ name: 'echo', arguments: { text: 'hi', loud: true } })).isError).toBeFalsy();
    await client.close();
    expect(await changesOf('widens')).toMatchObject([{ kind: 'argument', status: 'accepted' }]);
    expect(await audits('widens')).toEqual(['tool-change.accepted']);
    expect(app.logged()).toMatch(/"server":"widens".*echo \(argument\).*the change was accepted/);
  });

  test('under the policy strict, an added optional argument puts the tool under review', async () => {
    await trustThenChange('strictly', fixtureAt(5), { toolChanges: 'strict' }, [echo({ inputSchema: more })]);
    expect(shown('strictly')).toEqual([]);
    expect(await audits('strictly')).toEqual(['tool-change.under-review']);
  });

  test.each([
    ['icons', 6, { icons: [{ src: 'https://example.com/other.png' }] }],
    ['the page of an MCP App', 7, { _meta: { ui: { resourceUri: 'ui://other/page.html' } } }],
  ] as const)('a change of %s hides the tool until it is approved', async (_, index, change) => {
    const id = `means-${index}`;
    await trustThenChange(id, fixtureAt(index), {}, [echo(change as Partial<Tool>)]);
    expect(shown(id)).toEqual([]);
    expect(await changesOf(id)).toMatchObject([{ kind: 'definition', status: 'pending' }]);
  });
});

test('rows of the audit log cannot be changed or deleted', async () => {
  await expect(app.db.query('delete from audit_log')).rejects.toThrow(/append-only/);
  await expect(app.db.query(`update audit_log set reason = 'x'`)).rejects.toThrow(/append-only/);
});

test('deploy-all is previewed before it runs: tools under review first, then renters, then what is new', async () => {
  const [fixture] = fixtures.slice(8, 9);
  if (!fixture) throw new Error('no fixture');
  const token = async () => administrator;
  const shop = createClient([...adminManifestRunEndpoints, ...adminBillingEndpoints] as const, {
    baseUrl: app.publicUrl,
    fetch,
    token,
  });
  expect(await shop.previewDeployAll()).toMatchObject({ total: 0, toolsUnderReview: 0, renters: 0, manifests: [] });

  const connection = { type: 'http', url: fixture.url };
  const billing = { tier: 'T1', rental: { price: 500 } };
  await trustThenChange('zeal', fixture, {}, [echo({ inputSchema: otherSchema })]);
  await deployManifest(app, { id: 'yard', connection, billing });
  const [person] = await app.identity.users.find('ann@souk.test');
  await shop.addUserSubscription({ params: { id: person?.id ?? '' }, body: { type: 'rental', mcpId: 'yard' } });
  const stage = (id: string, change: object) =>
    app.catalogue.upload(manifest(id, { connection, deadlines: patience, ...change }, policy), { via: 'command' });
  await stage('zeal', { version: '2.0.0', description: 'Says more.', billing: { tier: 'T0', toolCosts: { echo: 2 } } });
  await stage('yard', { version: '2.0.0', billing: { ...billing, rental: { price: 700 } } });
  for (let count = 10; count < 30; count++) await stage(`new-${count}`, { version: '1.0.0' });

  const told = await shop.previewDeployAll();
  expect(told).toMatchObject({ total: 22, toolsUnderReview: 1, serversUnderReview: 1, renters: 1, rentedServers: 1 });
  expect(told.manifests.map(({ id }) => id)).toEqual([
    'zeal',
    'yard',
    ...Array.from({ length: 18 }, (_, count) => `new-${count + 10}`),
  ]);
  const [zeal, yard, fresh] = told.manifests;
  expect(zeal).toMatchObject({ from: '1.0.0', to: '2.0.0', people: { renters: 0, users: 0 } });
  expect(zeal?.changes).toContain('price of `echo`: 2 credits a call');
  expect(zeal?.effects).toContain(
    '1 tool is under review: a new version trusts all tools as the server offers them then, including these.',
  );
  expect(yard).toMatchObject({ from: '1.0.0', to: '2.0.0', people: { renters: 1, users: 0 } });
  expect(yard?.effects).toContainEqual(expect.stringContaining('1 person rents it and keeps the current price'));
  expect(fresh).toMatchObject({ from: null, to: '1.0.0', changedFields: 0, changes: [] });
  expect(fresh?.effects).toEqual(['It appears in the shop. Everyone who is signed in may use it.']);

  const [change] = await changesOf('zeal');
  await admin('POST', `/${change?.id}/reject`, { reason: 'it asks too much' });
  const decided = await shop.previewDeployAll();
  expect(decided).toMatchObject({
    toolsUnderReview: 0,
    serversUnderReview: 0,
    toolsKeptHidden: 1,
    serversKeptHidden: 1,
  });
  expect(decided.manifests[0]?.effects).toContain(
    '1 tool is kept hidden: a new version trusts all tools as the server offers them then, including these.',
  );
});
