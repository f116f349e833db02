import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { adminServerEndpoints } from '@souk/contract/admin/servers.ts';
import { createClient } from '@souk/contract/client.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

// How administrators find manifests, read their versions, and learn when another administrator was faster.

/** Servers that every test finds. */
const offered = new Set(['paid', 'top']);
let shop: Administration['shop'];
let fixture: Administration['fixture'];
let manifest: Administration['manifest'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration({ env: { ADMIN_EMAILS: 'admin@souk.test,second@souk.test' } });
  ({ shop, manifest, fixture, administrator, admin, send, newPerson, audits } = started);
});
afterEach(async () => {
  const { manifests } = await admin.listManifests({ query: {} });
  for (const { id } of manifests) if (!offered.has(id)) await admin.deleteManifest({ params: { id }, body: {} });
});
afterAll(() => started?.stop());

const write = (address: string, body: object, revision?: string, token = administrator.accessToken) =>
  send(address, token, body, revision === undefined ? {} : { 'if-match': `"${revision}"` });
const stage = (body: object, revision?: string, token?: string) =>
  write('POST /admin/manifests', body, revision, token);
const read = (id: string, version?: string) =>
  admin.getManifest({ params: { id }, query: version === undefined ? {} : { version } });

test('manifests are found by words, type and status, and counted over all pages', async () => {
  const { deleted } = (await admin.listManifests({ query: {} })).counts;
  const socket = { type: 'websocket', url: fixture.url.replace('http:', 'ws:') };
  await stage(manifest('find-one', { name: 'Ünique Weather', author: 'Acme Ltd' }));
  await stage(manifest('find-two', { description: 'Tides and weather of the sea.', connection: socket }));
  const list = async (query: object) => {
    const { manifests, ...answer } = await admin.listManifests({ query });
    return { ids: manifests.map(({ id }) => id), ...answer };
  };
  const all = await list({});
  expect(all.ids).toEqual(['find-one', 'find-two', 'paid', 'top']);
  expect(all.pagination).toEqual({ page: 1, limit: 4, total: 4, pages: 1 });
  const counts = {
    total: 4,
    active: 2,
    http: 3,
    withTools: 2,
    staged: 2,
    bundledDrafts: 0,
    underReview: 0,
    failing: 0,
    deleted,
  };
  expect(all.counts).toEqual(counts);
  const found = [
    [{ search: 'WEATHER' }, ['find-one', 'find-two']],
    [{ search: 'weather acme' }, ['find-one']],
    [{ search: 'ünique' }, ['find-one']],
    [{ search: 'find-t' }, ['find-two']],
    [{ search: 'ws://' }, ['find-two']],
    [{ search: fixture.url.toUpperCase(), status: 'inactive' }, ['find-one']],
    [{ search: '%' }, []],
    [{ type: 'websocket' }, ['find-two']],
    [{ type: 'stdio' }, []],
    [{ status: 'active' }, ['paid', 'top']],
    [{ status: 'inactive', type: 'http' }, ['find-one']],
    [{ staged: 'admin' }, ['find-one', 'find-two']],
    [{ staged: 'bundled' }, []],
  ] as const;
  for (const [query, ids] of found) {
    const answer = await list(query);
    expect(answer.ids, JSON.stringify(query)).toEqual(ids);
    expect(answer.pagination.total).toBe(ids.length);
    expect(answer.counts).toMatchObject(counts);
  }
  expect(await list({ page: 2, limit: 3 })).toMatchObject({
    ids: ['top'],
    pagination: { page: 2, limit: 3, total: 4, pages: 2 },
    counts,
  });
  expect(await list({ page: 9 })).toMatchObject({ ids: [], pagination: { page: 9, limit: 50, total: 4, pages: 1 } });
  expect(await list({ search: 'weather', limit: 1 })).toMatchObject({ pagination: { total: 2, pages: 2 } });
  for (const query of ['page=0', 'limit=101', 'limit=x', 'type=smtp', 'status=maybe', `search=${'x'.repeat(201)}`])
    expect(await send(`GET /admin/manifests?${query}`, administrator.accessToken), query).toMatchObject({
      status: 400,
    });

  const ann = await newPerson();
  await ann.rent('top');
  const [top] = (await admin.listManifests({ query: { search: 'top' } })).manifests;
  expect(top).toMatchObject({ id: 'top', renters: 1, stagedVersion: null, stagedOrigin: null });
});

test('[ADM-14] a decision on a manifest accepts a reason; a version says who staged it, when and why, and which number the next one has', async () => {
  const reason = 'the new address';
  expect(await write('POST /admin/manifests?reason=first', manifest('told'))).toMatchObject({ result: 'staged' });
  await write('POST /admin/manifests/told/deploy', { reason: 'goes live' });
  await write(`PUT /admin/manifests/told?reason=${encodeURIComponent(reason)}`, manifest('told', { version: '1.0.9' }));
  const { versions, nextVersion } = await read('told');
  const { rows } = await shop.db.query<{ created_at: Date; deployed_at: Date }>(
    `select created_at, deployed_at from manifest_versions where server_id = 'told' order by version`,
  );
  const [first, second] = rows;
  expect(first?.deployed_at.getTime()).toBeGreaterThan(first?.created_at.getTime() ?? Infinity);
  expect(Math.abs(Date.now() - (first?.created_at.getTime() ?? 0))).toBeLessThan(60_000);
  const stagedBy = { id: administrator.userId, email: 'admin@souk.test' };
  expect(versions).toEqual([
    {
      version: '1.0.9',
      status: 'staging',
      origin: 'admin',
      stagedBy,
      reason,
      createdAt: second?.created_at.toISOString(),
      deployedAt: null,
    },
    {
      version: '1.0.0',
      status: 'deployed',
      origin: 'admin',
      stagedBy,
      reason: 'first',
      createdAt: first?.created_at.toISOString(),
      deployedAt: first?.deployed_at.toISOString(),
    },
  ]);
  expect(nextVersion).toBe('1.0.10');
  expect((await read('told', '1.0.0')).nextVersion).toBe('1.0.1');
  await write('DELETE /admin/manifests/told', { reason: 'no longer needed' });
  expect((await audits('told')).map(({ action, reason: why }) => `${action}: ${why}`)).toEqual([
    'manifest.staged: first',
    'manifest.deployed: goes live',
    `manifest.staged: ${reason}`,
    'manifest.deleted: no longer needed',
  ]);
  // staged by the command
  expect((await read('top')).versions[0]).toMatchObject({ stagedBy: null, reason: null });
});

test('after a deletion the last live version is shown, and deployed if none is named', async () => {
  const params = { id: 'back' };
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
    await stage(manifest('back', { version }));
    await admin.deployManifest({ params, body: {} });
  }
  await admin.deployManifest({ params, body: { version: '2.0.0' } });
  await stage(manifest('back', { version: '4.0.0' }));
  await admin.deleteManifest({ params, body: {} });
  const { manifest: shown, listed, nextVersion } = await read('back');
  expect({ version: shown['version'], listed, nextVersion }).toEqual({
    version: '2.0.0',
    listed: null,
    nextVersion: '2.0.1',
  });
  expect((await admin.deployManifest({ params, body: {} })).version).toBe('2.0.0');
});

test('an action based on outdated data is refused, in plain words, with what is stored now', async () => {
  const staged = await stage(manifest('moved'));
  const { revision } = await read('moved');
  expect(staged.revision).toBe(revision);
  const other = await new ScriptedBrowser(shop.publicUrl).signInWeb({ email: 'second@souk.test' });
  const current = await stage(manifest('moved', { version: '1.1.0' }), revision, other.accessToken);
  expect(current).toMatchObject({ status: 200, result: 'staged' });

  const { rows } = await shop.db.query<{ at: Date }>(
    `select at from audit_log where subject = 'moved' order by id desc limit 1`,
  );
  const moved = {
    status: 409,
    code: 'changed_since_shown',
    message:
      'moved has changed since it was shown to you: second@souk.test staged version 1.1.0. Reload it before you change it.',
    current: {
      revision: current.revision,
      deployedVersion: null,
      stagedVersion: '1.1.0',
      changedBy: 'second@souk.test',
      changedAt: rows[0]?.at.toISOString(),
    },
  };
  const writes = [
    ['POST /admin/manifests', manifest('moved', { version: '1.0.1' })],
    ['PUT /admin/manifests/moved', manifest('moved', { version: '1.0.1' })],
    ['POST /admin/manifests/moved/deploy', { version: '1.0.0' }],
    ['DELETE /admin/manifests/moved', {}],
  ] as const;
  for (const [address, body] of writes) expect(await write(address, body, revision), address).toMatchObject(moved);
  expect(await read('moved')).toMatchObject({ revision: current.revision, listed: { stagedVersion: '1.1.0' } });
  expect((await read('moved')).versions, 'nothing was stored').toHaveLength(2);

  // with what is stored now it succeeds, and each response has the next revision
  const deployed = await write('POST /admin/manifests/moved/deploy', { version: '1.1.0' }, current.revision);
  expect(deployed).toMatchObject({ status: 200, version: '1.1.0' });
  expect(await write('DELETE /admin/manifests/moved', {}, current.revision)).toMatchObject({
    message: expect.stringContaining('you, in another window, deployed version 1.1.0'),
    current: { deployedVersion: '1.1.0', stagedVersion: null },
  });
  await shop.catalogue.undeploy('moved', { via: 'command' });
  expect(await stage(manifest('moved', { version: '3.0.0' }), deployed.revision)).toMatchObject({
    message: expect.stringContaining("the operator's command took it out of the shop"),
    current: { deployedVersion: null, stagedVersion: null, changedBy: null },
  });
  const after = await read('moved');
  expect(await stage(manifest('moved', { version: '3.0.0' }), after.revision)).toMatchObject({ status: 200 });
  // as in the specification
  expect(await write('DELETE /admin/manifests/moved', {})).toMatchObject({ status: 200 });
  for (const tag of ['W/"x"', 'x', '"a", "b"'])
    expect(await send('DELETE /admin/manifests/top', administrator.accessToken, {}, { 'if-match': tag })).toMatchObject(
      { status: 400, message: 'If-Match: must be one revision in quotes' },
    );
  expect(shop.catalogue.snapshot().byId.has('top')).toBe(true);
});

test('the effects of a deployment, and the affected users, are shown before it is done', async () => {
  const token = async () => administrator.accessToken;
  const server = createClient(adminServerEndpoints, { baseUrl: shop.publicUrl, fetch, token });
  const differences = (query: object = {}) => server.getServerDifferences({ params: { id: 'shown' }, query });
  const priced = (version: string, price: number) =>
    stage(manifest('shown', { version, billing: { tier: 'T0', rental: { price: 500 }, toolCosts: { echo: price } } }));
  await expect(differences()).rejects.toMatchObject({ status: 404 });
  await priced('1.0.0', 3);
  expect(await differences()).toMatchObject({
    from: null,
    to: '1.0.0',
    before: null,
    people: { renters: 0, users: 0 },
  });
  await admin.deployManifest({ params: { id: 'shown' }, body: {} });
  expect(await differences()).toMatchObject({ from: '1.0.0', to: '1.0.0', differences: [], effects: [] });
  await priced('1.1.0', 5);
  const ann = await newPerson();
  await admin.setUserCredits({ params: { id: ann.userId }, body: { credits: 9 } });
  expect(await ann.call('shown__echo')).toMatchObject({ content: [{ text: 'hi' }] });
  await shop.billing.ledger.flush();
  const told = await differences();
  expect(told).toMatchObject({
    from: '1.0.0',
    to: '1.1.0',
    before: { version: '1.0.0' },
    after: { version: '1.1.0' },
    people: { renters: 0, users: 1, asked: 1 },
    effects: [
      expect.stringContaining('1 person called it in the last 30 days; they agreed to a lower price and are asked'),
    ],
  });
  expect(told.differences.map(({ text }) => text)).toEqual([
    'version: 1.0.0 -> 1.1.0',
    'price of `echo`: 3 -> 5 credits a call',
  ]);
  expect((await differences({ from: '1.1.0', to: '1.0.0' })).differences.at(-1)?.text).toContain('5 -> 3');
  await expect(differences({ from: '9.0.0' })).rejects.toMatchObject({ status: 404 });
  // a changed price applies with the deployment, and no sooner
  expect(await ann.call('shown__echo')).toMatchObject({ content: [{ text: 'hi' }] });
  await admin.deployManifest({ params: { id: 'shown' }, body: {} });
  expect(await ann.call('shown__echo')).toMatchObject({ isError: true });
});

test('the preview of a price counts users who called the tool and agreed to less, separately from all users of the server', async () => {
  const token = async () => administrator.accessToken;
  const server = createClient(adminServerEndpoints, { baseUrl: shop.publicUrl, fetch, token });
  const id = 'raised';
  const differences = () => server.getServerDifferences({ params: { id }, query: {} });
  const priced = async (version: string, echo: number) => {
    await stage(manifest(id, { version, billing: { tier: 'T0', toolCosts: { echo } } }));
  };
  const deployed = async (version: string, echo: number) => {
    await priced(version, echo);
    await admin.deployManifest({ params: { id }, body: {} });
  };
  const newCaller = async (tool: string) => {
    const person = await newPerson();
    await admin.setUserCredits({ params: { id: person.userId }, body: { credits: 20 } });
    const answer = await person.call(`${id}__${tool}`);
    expect(answer.isError ?? false, JSON.stringify(answer)).toBe(false);
    return person;
  };
  await deployed('1.0.0', 3);
  await newCaller('echo');
  const approves = await newCaller('echo');
  await newCaller('capabilities');
  await deployed('1.0.1', 6);
  // users who came at a higher price agreed to it
  await newCaller('echo');
  await deployed('1.0.2', 2);
  await priced('1.1.0', 5);
  await Promise.all([shop.billing.ledger.flush(), shop.usage.flush()]);
  expect((await differences()).people).toEqual({ renters: 0, users: 4, asked: 2 });
  await shop.db.query(
    `insert into price_approvals (user_id, livemode, server_id, tool, credits, approved_at, via)
     values ($1, false, $2, 'echo', 5, now(), 'page')`,
    [approves.userId, id],
  );
  const { people, effects } = await differences();
  expect(people).toEqual({ renters: 0, users: 4, asked: 1 });
  expect(effects.join(' ')).toContain(
    '4 people called it in the last 30 days; 1 of them agreed to a lower price and is asked',
  );
  await priced('1.2.0', 1);
  const lower = await differences();
  expect(lower.people).toEqual({ renters: 0, users: 4, asked: 0 });
  expect(lower.effects.join(' ')).not.toContain('asked');
});

test("a deleted user's address is removed from the reasons of versions, and a version that they staged names no address", async () => {
  const gone = await newPerson();
  const reason = `asked for by ${gone.email}`;
  expect(await write(`POST /admin/manifests?reason=${encodeURIComponent(reason)}`, manifest('asked'))).toMatchObject({
    result: 'staged',
  });
  await shop.db.query(`update manifest_versions set created_by = $1 where server_id = 'asked'`, [gone.userId]);
  expect((await read('asked')).versions[0]).toMatchObject({ reason, stagedBy: { email: gone.email } });
  await shop.db.query(
    `insert into manifest_runs (id, kind, status, via, reason, started_at)
     values (gen_random_uuid(), 'deploy-all', 'done', 'administration', $1, now())`,
    [reason],
  );
  const account = `/api/users/${gone.userId}`;
  expect(await send(`GET ${account}/export`, gone.accessToken)).toMatchObject({
    data: { stagedManifests: [{ serverId: 'asked', version: '1.0.0', reason }] },
  });
  await send(`DELETE ${account}/account`, gone.accessToken, { confirm: gone.email });
  expect((await read('asked')).versions[0]).toMatchObject({
    reason: 'asked for by [erased]',
    stagedBy: { id: gone.userId, email: '[erased]' },
  });
  expect((await admin.listManifestRuns()).runs[0]).toMatchObject({ reason: 'asked for by [erased]' });
});
