import type { ManifestSort } from '@souk/contract/admin/manifests.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { createCatalogue } from '#features/catalogue/index.ts';
import { manifest as parsedManifest, policy } from '#features/catalogue/testing/weather-server.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { fixtureTools } from '#testing/servers/mcp-fixture.ts';
import { waitUntil } from '#testing/wait-until.ts';

// What administrators do with manifests (specification part 2, section 7), and what users then see and may use.

let shop: Administration['shop'];
let fixture: Administration['fixture'];
let manifest: Administration['manifest'];
let other: Administration['other'];
let gone: Administration['gone'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let expectRefused: Administration['expectRefused'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, manifest, fixture, other, gone, administrator, admin, send, expectRefused, newPerson, audits } = started);
  stays = (await admin.listManifests({ query: {} })).manifests.map(({ id }) => id);
});
/** Manifests from before the tests; each test leaves exactly these. */
let stays: string[];
afterEach(async () => {
  for (const { id } of (await admin.listManifests({ query: {} })).manifests) if (!stays.includes(id)) await remove(id);
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

const upload = (body: unknown) => send('POST /admin/manifests', administrator.accessToken, body);

const put = (id: string, body: object) => send(`PUT /admin/manifests/${id}`, administrator.accessToken, body);
const liveVersion = (id: string) => shop.catalogue.snapshot().byId.get(id)?.manifest.version;
const remove = (id: string) => admin.deleteManifest({ params: { id }, body: {} });

test('[GEN-7] only an administrator sees, stages, deploys, changes and deletes a manifest', async () => {
  const ann = await newPerson();
  const { manifests } = await admin.listManifests({ query: {} });
  await expectRefused(
    [
      ['GET /admin/manifests'],
      ['GET /admin/manifests/top'],
      ['POST /admin/manifests', manifest('lens')],
      ['PUT /admin/manifests/top', manifest('top', { version: '2.0.0' })],
      ['DELETE /admin/manifests/top'],
      ['POST /admin/manifests/top/deploy', {}],
      ['POST /admin/manifests/top/undeploy', {}],
      ['POST /admin/manifests/reload'],
      ['POST /admin/manifests/deploy-all'],
    ],
    ann.accessToken,
  );
  expect((await admin.listManifests({ query: {} })).manifests).toEqual(manifests);
});

test('a server is undeployed by its shown version, keeps what is staged, is found among the deleted ones, and is deployed again', async () => {
  const ann = await newPerson();
  const params = { id: 'loupe' };
  await upload(manifest('loupe', { name: 'Loupe of Old' }));
  await admin.deployManifest({ params, body: {} });
  expect(await ann.tools()).toContain('loupe__echo');
  const { revision } = await admin.getManifest({ params, query: {} });
  await upload(manifest('loupe', { version: '1.1.0', name: 'Loupe of Old' }));
  const address = 'POST /admin/manifests/loupe/undeploy';
  const undeploy = (shown: string, reason = 'The vendor pauses') =>
    send(address, administrator.accessToken, { reason }, { 'if-match': `"${shown}"` });
  expect(await undeploy(revision), 'another version was staged').toMatchObject({
    status: 409,
    code: 'changed_since_shown',
  });
  expect(await ann.tools()).toContain('loupe__echo');
  const shown = (await admin.getManifest({ params, query: {} })).revision;
  expect(await undeploy(shown)).toMatchObject({ status: 200, id: 'loupe', version: '1.0.0', renters: 0 });
  expect(await ann.tools()).not.toContain('loupe__echo');
  expect((await audits('loupe')).at(-1)).toMatchObject({
    actor_id: administrator.userId,
    action: 'manifest.undeployed',
    reason: 'The vendor pauses',
  });
  expect(await send(address, administrator.accessToken, {})).toMatchObject({ status: 404 });
  const listed = async (query: object) =>
    (await admin.listManifests({ query })).manifests.map(({ id, version, isActive }) => ({ id, version, isActive }));
  expect(await listed({ search: 'loupe' }), 'it is staged').toEqual([
    { id: 'loupe', version: '1.1.0', isActive: false },
  ]);
  expect(await listed({ status: 'deleted', search: 'loupe' })).toEqual([]);

  const goneOf = async (search: string) => {
    const query = { status: 'deleted', search } as const;
    const [listedAs] = (await admin.listManifests({ query })).manifests;
    const { gone: shownAs } = await admin.getManifest({ params: { id: search }, query: {} });
    return [listedAs?.gone, shownAs];
  };
  expect(await goneOf('loupe'), 'it is staged').toEqual([undefined, null]);
  const before = (await admin.listManifests({ query: {} })).counts;
  await remove('loupe');
  expect(await goneOf('loupe')).toEqual(['deleted', 'deleted']);
  const matching = async (query: object) => (await admin.listManifests({ query })).counts.deletedMatching;
  expect(await matching({ search: 'loupe', status: 'active' }), 'among the deleted ones').toBe(1);
  for (const query of [{}, { search: 'loupe', type: 'stdio' }, { search: 'loupe', status: 'deleted' }])
    expect(await matching(query), JSON.stringify(query)).toBeUndefined();
  const { counts } = await admin.listManifests({ query: {} });
  expect([counts.total, counts.deleted]).toEqual([before.total - 1, before.deleted + 1]);
  expect(await listed({ search: 'loupe' })).toEqual([]);
  const old = [{ id: 'loupe', version: '1.0.0', isActive: false }];
  expect(await listed({ status: 'deleted', search: 'OLD loupe', type: 'http', page: 1 })).toEqual(old);
  expect(await listed({ status: 'deleted', search: 'loupe', type: 'stdio' })).toEqual([]);
  expect(await listed({ status: 'deleted', search: 'top' }), 'it is deployed').toEqual([]);
  await admin.deployManifest({ params, body: {} });
  expect(await ann.tools()).toContain('loupe__echo');
  expect(await listed({ status: 'deleted', search: 'loupe' })).toEqual([]);
  await admin.undeployManifest({ params, body: {} });
  expect(await goneOf('loupe')).toEqual(['undeployed', 'undeployed']);
});

test('the filter of failing servers finds queried servers that do not respond, and they are counted', async () => {
  await deployManifest(shop, manifest('down', { connection: { type: 'http', url: gone.url } }), 'disconnected');
  await upload(manifest('waiting'));
  const { manifests, pagination, counts } = await admin.listManifests({ query: { health: 'failing', page: 1 } });
  expect(manifests.map(({ id }) => id)).toEqual(['down']);
  expect([pagination.total, counts.failing]).toEqual([1, 1]);
  expect(counts.total).toBeGreaterThan(2);
  expect((await admin.listManifests({ query: { health: 'failing', search: 'top' } })).manifests).toEqual([]);
  await remove('down');
  expect((await admin.listManifests({ query: { health: 'failing' } })).counts.failing).toBe(0);
});

test('the list is ordered as requested, over all its pages, and by id for equal servers', async () => {
  await deployManifest(shop, manifest('sort-b', { name: 'zebra' }));
  await deployManifest(
    shop,
    manifest('sort-c', { name: 'Yak', connection: { type: 'http', url: gone.url } }),
    'disconnected',
  );
  await upload(manifest('sort-a', { name: 'Zebra', connection: { type: 'http', url: 'https://zoo.example.com/mcp' } }));
  await upload(manifest('sort-d', { name: 'apes' }));
  const sorted = async (sort: ManifestSort) =>
    (await admin.listManifests({ query: { search: 'sort-', sort } })).manifests.map(({ id }) => id.slice(-1)).join('');
  expect(await sorted('name'), 'apes, Yak, Zebra, zebra').toBe('dcab');
  expect(await sorted('-name')).toBe('abcd');
  expect((await sorted('address')).at(-1), 'https after http').toBe('a');
  expect((await sorted('-address'))[0]).toBe('a');
  expect(await sorted('deployed')).toBe('bcad');
  expect(await sorted('-deployed')).toBe('adbc');
  expect(await sorted('tools'), 'those that are not deployed come last, in both directions').toBe('cbad');
  expect(await sorted('-tools')).toBe('bcad');
  expect(await sorted('connection'), 'failing ones first').toBe('cbad');
  expect(await sorted('-connection')).toBe('bcad');
  const second = await admin.listManifests({ query: { search: 'sort-', sort: 'name', page: 2, limit: 1 } });
  expect(second.manifests.map(({ id }) => id)).toEqual(['sort-c']);
  await expect(send('GET /admin/manifests?sort=author', administrator.accessToken)).resolves.toMatchObject({
    status: 400,
  });
  for (const id of ['sort-a', 'sort-b', 'sort-c', 'sort-d']) await remove(id);
});

test("[MAN-25] [MAN-26] [MAN-30] [MAN-33] an uploaded manifest is staged, not live; once deployed, its tools are in users' links", async () => {
  const ann = await newPerson();
  const params = { id: 'lens' };
  await expect(admin.getManifest({ params, query: {} })).rejects.toMatchObject({ status: 404 });
  const staged = await upload(manifest('lens'));
  const { revision } = await admin.getManifest({ params, query: {} });
  expect(revision).toMatch(/./);
  expect(staged).toEqual({ status: 200, success: true, id: 'lens', version: '1.0.0', result: 'staged', revision });
  expect(await upload(manifest('lens'))).toMatchObject({ result: 'unchanged' });
  expect(await ann.tools()).not.toContain('lens__echo');
  // without a body, as in the specification
  expect(await send('POST /admin/manifests/lens/deploy', administrator.accessToken)).toMatchObject({
    version: '1.0.0',
    result: 'deployed',
    manifest: { isActive: true, status: 'connected', capabilities: { tools: fixtureTools.length } },
  });
  expect(await ann.tools()).toContain('lens__echo');
});

test('[MAN-28] [MAN-34] [MAN-37] [MAN-38] a new version waits for its deployment, and every version is kept and can be rolled back to', async () => {
  const params = { id: 'filter' };
  await upload(manifest('filter'));
  await admin.deployManifest({ params, body: {} });
  expect(await put('filter', manifest('filter', { version: '2.0.0', name: 'Filter' }))).toMatchObject({
    result: 'staged',
  });
  expect(await admin.getManifest({ params, query: {} })).toMatchObject({
    manifest: { version: '2.0.0', name: 'Filter' },
    listed: { version: '1.0.0', deployedVersion: '1.0.0', stagedVersion: '2.0.0' },
  });
  expect(liveVersion('filter')).toBe('1.0.0');
  expect(await admin.deployManifest({ params, body: {} })).toMatchObject({ version: '2.0.0' });
  expect(liveVersion('filter')).toBe('2.0.0');
  expect((await admin.deployManifest({ params, body: { version: '1.0.0' } })).result).toBe('deployed');
  expect(liveVersion('filter'), 'rolled back').toBe('1.0.0');
  expect(await admin.getManifest({ params, query: { version: '2.0.0' } })).toMatchObject({
    manifest: { name: 'Filter' },
  });
  await remove('filter');
  const { listed, versions } = await admin.getManifest({ params, query: {} });
  expect(listed).toBeNull();
  expect(versions.map(({ version, status }) => `${version} ${status}`)).toEqual([
    '2.0.0 superseded',
    '1.0.0 superseded',
  ]);
});

test('[MAN-29] a deletion needs no body; it removes the deployed and the staged versions of this manifest, and of no other', async () => {
  const ann = await newPerson();
  const { manifests: others } = await admin.listManifests({ query: {} });
  await upload(manifest('gone'));
  await admin.deployManifest({ params: { id: 'gone' }, body: {} });
  await put('gone', manifest('gone', { version: '2.0.0' }));
  expect(await ann.tools()).toContain('gone__echo');
  const toolsBefore = (await ann.tools()).filter((name) => !name.startsWith('gone__'));

  const bare = await fetch(`${shop.publicUrl}/admin/manifests/gone`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${administrator.accessToken}` },
  });
  expect([bare.status, await bare.json()]).toEqual([200, { success: true, id: 'gone', renters: 0, refunds: [] }]);
  expect((await admin.listManifests({ query: {} })).manifests).toEqual(others);
  expect(await ann.tools()).toEqual(toolsBefore);
  expect(await ann.call('gone__echo').catch((error: unknown) => error)).toMatchObject({ code: -32602 });
  // a broker that starts now reads the same
  const started = await createCatalogue({ db: shop.db, clock: systemClock, log: createLog('silent') });
  expect(started.snapshot().servers.map(({ id }) => id)).toEqual(others.map(({ id }) => id));
  await started.stop();
  expect(await send('DELETE /admin/manifests/gone', administrator.accessToken)).toMatchObject({ status: 404 });
  // a deleted manifest comes back by another upload of the same; HTTP libraries of browsers name a type even without a
  // body
  expect(await upload(manifest('gone'))).toMatchObject({ result: 'staged' });
  const typed = { 'content-type': 'application/json' };
  expect(await send('DELETE /admin/manifests/gone', administrator.accessToken, undefined, typed)).toMatchObject({
    status: 200,
    id: 'gone',
  });
  expect((await admin.listManifests({ query: {} })).manifests).toEqual(others);
});

test('[ADM-15] every change of a manifest leaves a row that says who made it, and what', async () => {
  const params = { id: 'traced' };
  await upload(manifest('traced'));
  await admin.deployManifest({ params, body: {} });
  await put('traced', manifest('traced', { version: '2.0.0' }));
  for (const version of ['2.0.0', '1.0.0']) await admin.deployManifest({ params, body: { version } });
  await remove('traced');
  await upload(manifest('traced'));
  await remove('traced');
  const { rows } = await shop.db.query(
    'select actor_id, action, details from audit_log where subject = $1 order by id',
    ['traced'],
  );
  const row = { actor_id: administrator.userId };
  const via = 'administration';
  expect(rows).toEqual([
    { ...row, action: 'manifest.staged', details: { version: '1.0.0', via } },
    { ...row, action: 'manifest.deployed', details: { version: '1.0.0', via } },
    { ...row, action: 'manifest.staged', details: { version: '2.0.0', via } },
    { ...row, action: 'manifest.deployed', details: { version: '2.0.0', via, before: '1.0.0' } },
    { ...row, action: 'manifest.deployed', details: { version: '1.0.0', via, before: '2.0.0' } },
    { ...row, action: 'manifest.deleted', details: { deployed: '1.0.0', via } },
    { ...row, action: 'manifest.staged', details: { version: '1.0.0', via } },
    { ...row, action: 'manifest.deleted', details: { staged: '1.0.0', via } },
  ]);
});

test('a deployment that changes tool prices leaves the old and the new prices in the audit log', async () => {
  const params = { id: 'priced' };
  const version = (number: string, toolCosts: object) =>
    upload(manifest('priced', { version: number, billing: { tier: 'T0', toolCosts } }));
  const { accessToken } = administrator;
  const newest = async () => {
    const { entries } = await send('GET /admin/audit?object=priced', accessToken);
    return entries.find(({ action }: { action: string }) => action === 'manifest.deployed');
  };
  await version('1.0.0', { echo: 2 });
  await admin.deployManifest({ params, body: {} });
  expect((await newest()).changes, 'no user has paid another price').toEqual([
    { field: 'version', before: null, after: '1.0.0' },
  ]);
  await version('1.1.0', { echo: 5 });
  await admin.deployManifest({ params, body: {} });
  expect(await newest()).toMatchObject({
    action: 'manifest.deployed',
    changes: [
      { field: 'version', before: '1.0.0', after: '1.1.0' },
      { field: 'credits per call of echo', before: '2', after: '5' },
    ],
  });
  // also if the server was out of the shop meanwhile
  await admin.undeployManifest({ params, body: {} });
  await version('1.2.0', {});
  await admin.deployManifest({ params, body: {} });
  expect((await newest()).changes).toEqual([
    { field: 'version', before: null, after: '1.2.0' },
    { field: 'credits per call of echo', before: '5', after: '0' },
  ]);
});

test('it is recorded which version of a server has responded: only that version is offered for a rollback', async () => {
  const params = { id: 'mended' };
  const down = { type: 'http', url: gone.url };
  const answered = async () => (await admin.getManifest({ params, query: {} })).answeredVersion;
  await upload(manifest('mended', { connection: down }));
  expect(await admin.deployManifest({ params, body: {} })).toHaveProperty('failure');
  expect(await answered()).toBeNull();
  await upload(manifest('mended', { version: '1.1.0' }));
  await admin.deployManifest({ params, body: {} });
  await waitUntil('it to have answered', async () => (await answered()) === '1.1.0');
  await upload(manifest('mended', { version: '1.2.0', connection: down }));
  await admin.deployManifest({ params, body: {} });
  expect(await answered()).toBe('1.1.0');
});

test('[MAN-22] [MAN-40] an invalid or disallowed manifest is refused with its field, and stages nothing', async () => {
  const fields = '"name":"x","serviceType":"mcp","version":"1.0.0","description":"x","category":"data"';
  const connection = `"connection":{"type":"http","url":"${fixture.url}"}`;
  const invalid = { status: 400, code: 'manifest_invalid' };
  const missing = 'Invalid manifest: Missing required fields (id, name, serviceType)';
  const refused: [string, object][] = [
    ['', { status: 400, message: 'Please enter a manifest JSON or upload a file' }],
    ['{"id": "bad", ', { status: 400, message: 'Invalid JSON format. Please check your manifest syntax.' }],
    ['{}', { ...invalid, message: missing }],
    ['[]', invalid],
    [`{"id":"../../x",${fields},${connection}}`, { ...invalid, issues: [{ path: 'id' }] }],
    [`{"id":"bad","__proto__":{"x":1},${fields},${connection}}`, { ...invalid, issues: [{ path: '__proto__' }] }],
    [
      `{"id":"bad","id":"worse",${fields},${connection}}`,
      { ...invalid, issues: [{ path: 'id', message: 'is a duplicate key' }] },
    ],
    [`\uFEFF{"id":"bad",${fields},${connection}}`, { ...invalid, issues: [{ path: '' }] }],
    [`{"id":"b\\u0000ad",${fields},${connection}}`, invalid],
    ['['.repeat(100_000), invalid],
    [JSON.stringify(manifest('bad', { id: 'io.github.owner/name' })), { ...invalid, issues: [{ path: 'id' }] }],
    [JSON.stringify(manifest('bad', { id: 'health' })), { ...invalid, issues: [{ path: 'id' }] }],
    [
      JSON.stringify(manifest('bad', { connection: { type: 'http', url: 'http://2130706433/' } })),
      { status: 400, code: 'url_not_allowed', issues: [{ path: 'connection.url' }] },
    ],
    [
      JSON.stringify(manifest('bad', { connection: { type: 'stdio', command: '/bin/sh' } })),
      { status: 400, code: 'command_not_allowed', issues: [{ path: 'connection.command' }] },
    ],
    [JSON.stringify(manifest('bad', { description: 'x'.repeat(300_000) })), { status: 413, code: 'payload_too_large' }],
  ];
  for (const [text, answer] of refused) expect(await upload(text), text.slice(0, 80)).toMatchObject(answer);
  expect(await put('none', manifest('none'))).toMatchObject({ status: 404 });
  expect(await put('top', manifest('bad'))).toMatchObject({ status: 400, issues: [{ path: 'id' }] });
  expect(await send('POST /admin/manifests/none/deploy', administrator.accessToken, {})).toMatchObject({
    status: 404,
    message: 'There is no manifest of none.',
  });
  expect(await send('POST /admin/manifests/top/deploy', administrator.accessToken, { version: '9' })).toMatchObject({
    status: 404,
  });

  // the same version with other content
  await upload(manifest('twice'));
  expect(await upload(manifest('twice', { description: 'Another one.' }))).toMatchObject({
    status: 409,
    code: 'manifest_conflict',
    message: 'Version 1.0.0 of twice exists with other content (description): raise the version',
  });
  const { manifests } = await admin.listManifests({ query: {} });
  expect(manifests.map(({ id }) => id)).toEqual(['paid', 'top', 'twice']);
});

test('[MAN-18] [MAN-22] [MAN-26] [MAN-28] a row of the list can be sent back, and only the fields that the specification requires are required', async () => {
  // the defaults of a manifest that names none
  const deadlines = { connectMs: 5_000, listMs: 10_000, callMs: 60_000 };
  await deployManifest(shop, { ...manifest('row'), deadlines });
  const rowOf = async () => (await admin.listManifests({ query: { search: 'row' } })).manifests[0];
  const row = await rowOf();
  expect(row).toMatchObject({ isActive: true, author: null, capabilities: { tools: fixtureTools.length } });
  const put = (body: object) => send('PUT /admin/manifests/row', administrator.accessToken, body);
  expect(await put({ ...row, version: '1.1.0', name: 'Second Row' })).toMatchObject({ result: 'staged' });
  const { manifest: stored } = await admin.getManifest({ params: { id: 'row' }, query: {} });
  expect(stored).toMatchObject({ name: 'Second Row', description: 'A server of a test.', category: 'api' });
  expect(Object.keys(stored)).not.toContain('isActive');
  expect(await upload({ ...row, isActive: 'yes, of course', category: 'data' })).toMatchObject({ result: 'unchanged' });

  const connection = { type: 'http', url: fixture.url };
  const least = { id: 'least', name: 'Least', serviceType: 'productivity', connection };
  expect(await upload(least)).toMatchObject({ result: 'staged', version: '1.0.0' });
  expect((await admin.getManifest({ params: { id: 'least' }, query: {} })).manifest).toMatchObject({
    version: '1.0.0',
    description: 'Least',
    category: 'productivity',
  });
  expect(await upload({ ...least, connection: undefined })).toMatchObject({
    status: 400,
    issues: [{ path: 'connection' }],
  });
});

async function newestRun(): Promise<string | undefined> {
  return (await admin.listManifestRuns()).runs[0]?.id;
}

/** Collects rows of deployments and reloads of several manifests, from here on. */
async function newRuns() {
  const before = (await audits('manifests')).length;
  return async () => (await audits('manifests')).slice(before);
}

test('[MAN-18] [MAN-24] [MAN-32] [MAN-35] everything staged is deployed together, and listed with all fields of a manifest', async () => {
  const audited = await newRuns();
  await upload(manifest('one', { author: 'Ann', registryName: 'io.github.ann/one' }));
  // staged when this installation allowed it
  const then = { ...policy, stdioAliases: new Set(['nothing']) };
  const connection = { type: 'stdio', command: 'nothing' };
  await shop.catalogue.upload(parsedManifest('forbidden', { connection }, then), { via: 'command' });
  const refusal = 'connection.command: "nothing" is not on this installation\'s allow-list of commands';
  const deployed = await admin.deployAllManifests({ body: {} });
  expect(deployed).toEqual({
    success: true,
    deployed: 1,
    failed: 1,
    errors: [{ id: 'forbidden', message: `Failed to deploy manifest: ${refusal}` }],
    runId: await newestRun(),
  });
  await expect(admin.deployManifest({ params: { id: 'forbidden' }, body: {} })).rejects.toMatchObject({
    code: 'command_not_allowed',
  });
  await waitUntil('it was queried', () => shop.catalogue.snapshot().byId.get('one')?.status === 'connected');
  const { manifests } = await admin.listManifests({ query: {} });
  expect(manifests.find(({ id }) => id === 'one')).toEqual({
    id: 'one',
    name: 'one',
    serviceType: 'mcp',
    version: '1.0.0',
    author: 'Ann',
    description: 'A server of a test.',
    isActive: true,
    connection: { type: 'http', url: fixture.url },
    capabilities: { tools: fixtureTools.length, prompts: 1, resources: 1 },
    deployedVersion: '1.0.0',
    stagedVersion: null,
    stagedOrigin: null,
    status: 'connected',
    toolsUnderReview: 0,
    renters: 0,
    registryName: 'io.github.ann/one',
  });
  expect(await audited()).toMatchObject([
    {
      actor_id: administrator.userId,
      action: 'manifests.deployed',
      details: { deployed: ['one'], failed: ['forbidden'] },
    },
  ]);
});

test('[MAN-31] [MAN-36] deployed manifests are read again, and their servers are queried through a new connection', async () => {
  const audited = await newRuns();
  await deployManifest(shop, manifest('two', { connection: { type: 'http', url: other.url } }));
  await deployManifest(shop, manifest('down', { connection: { type: 'http', url: gone.url } }), 'disconnected');
  const opened = () => other.seen.requests.filter(({ method }) => method === 'initialize').length;
  const openedBefore = opened();
  const reloaded = await admin.reloadManifests();
  expect(reloaded).toEqual({
    success: true,
    reloadedCount: shop.catalogue.snapshot().servers.length - 1,
    errors: [{ id: 'down', message: expect.stringContaining('ECONNREFUSED') }],
    runId: await newestRun(),
  });
  expect(opened()).toBeGreaterThan(openedBefore);
  const two = async () => (await admin.listManifests({ query: {} })).manifests.find(({ id }) => id === 'two');
  other.setTools([...fixtureTools, { name: 'more', inputSchema: { type: 'object' } }]);
  await admin.reloadManifests();
  expect(await two()).toMatchObject({ toolsUnderReview: 1 });
  // stored manifests are read again too
  await shop.db.query(
    `update manifest_versions set body = (body::jsonb || '{"name":"Zwei"}')::json where server_id = 'two'`,
  );
  await admin.reloadManifests();
  expect(shop.catalogue.snapshot().byId.get('two')?.manifest.name).toBe('Zwei');
  expect(await audited()).toMatchObject([
    { actor_id: administrator.userId, action: 'manifests.reloaded', details: { failed: 1 } },
    { action: 'manifests.reloaded' },
    { action: 'manifests.reloaded' },
  ]);
});

test('a price with a past start date, or for an unknown tool, is reported when it is staged and deployed', async () => {
  const live = (version: string, billing: object) =>
    manifest('noted', { version, billing: { tier: 'T0', ...billing } });
  await upload(live('1.0.0', { toolCosts: { echo: 1 } }));
  await admin.deployManifest({ params: { id: 'noted' }, body: {} });
  const [over, toCome] = ['2025-01-01T00:00:00Z', '2099-01-01T00:00:00Z'];
  const notes = [
    `The announced price of “echo” starts on ${over}. That date has passed: the price applies on deployment, without notice.`,
    '“eco” has a price, and the server does not offer it.',
    '“gone” has a price, and the server does not offer it.',
  ];
  const announcedPrices = { echo: { credits: 5, from: over }, gone: { credits: 2, from: toCome } };
  const meant = { toolCosts: { echo: 1 }, announcedPrices: { echo: { credits: 5, from: toCome } } };
  expect(await upload(live('1.0.1', meant))).not.toHaveProperty('notes');
  expect(await upload(live('1.0.2', { toolCosts: { echo: 1, eco: 3 }, announcedPrices }))).toMatchObject({
    result: 'staged',
    notes,
  });
  const effects = async () => {
    const answer = await send('GET /admin/servers/noted/differences', administrator.accessToken);
    return Array.from<string>(answer.effects);
  };
  expect((await effects()).slice(-3)).toEqual(notes);
  const deployed = await admin.deployManifest({ params: { id: 'noted' }, body: {} });
  expect(deployed.notes, 'the response of the deployment').toEqual(notes);
  expect(await effects(), 'of a deployed version nothing is pending').toEqual([]);
  // the tool names of a server that was never queried are unknown
  const first = { tier: 'T0', toolCosts: { eco: 3 }, announcedPrices: { echo: { credits: 5, from: over } } };
  expect((await upload(manifest('unasked', { billing: first }))).notes).toEqual([notes[0]]);
  const asked = await admin.deployManifest({ params: { id: 'unasked' }, body: {} });
  expect(asked.notes, 'it was queried meanwhile').toEqual([notes[0], notes[1]]);
});
