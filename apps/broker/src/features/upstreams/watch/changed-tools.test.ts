import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startWebSocketFixture, type WebSocketFixture } from '#testing/servers/websocket-fixture.ts';

/** Bad input 26 over the transports other than HTTP. catalogue/review/tool-changes.test.ts covers HTTP. */
let app: TestApp;
let client: TestClient;
let token: string;
let socket: WebSocketFixture;
let folder: string;
let aheadMs = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'changed-tools-'));
  const stdioAllowlist = join(folder, 'allowlist.json');
  const root = join(import.meta.dirname, '../../../../../..');
  const argv = ['{node}', join(root, 'apps/broker/src/testing/servers/fault-stdio.ts'), 'changes-tools'];
  await writeFile(stdioAllowlist, JSON.stringify({ 'changes-tools': { argv, reads: [root] } }));
  socket = await startWebSocketFixture();
  app = await startTestApp({
    allowAddresses: [socket.address],
    paths: { stdioAllowlist },
    clock: { now: () => Date.now() + aheadMs },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  await Promise.all([
    deployManifest(app, {
      id: 'program',
      isolation: 'shared',
      connection: { type: 'stdio', command: 'changes-tools' },
    }),
    deployManifest(app, { id: 'socket', connection: { type: 'websocket', url: socket.url('changes-tools') } }),
  ]);
  client = await connectModern(`${app.publicUrl}/mcp`, token);
});
afterAll(async () => {
  await client?.close();
  await app?.stop();
  await socket?.close();
  await rm(folder, { recursive: true, force: true });
});

test.concurrent.each(['program', 'socket'])(
  'security row 26: a server over another transport (%s) that changes a schema in use has that tool hidden, and a changed text is accepted',
  async (id) => {
    const offered = () =>
      app.catalogue
        .snapshot()
        .byId.get(id)
        ?.tools.map(({ name }) => name);
    expect(offered()).toContain('echo');
    // a server is queried once in 10 s, and with this call it changes
    aheadMs += 10_000;
    expect((await client.callTool({ name: `${id}__echo`, arguments: { text: 'hi' } })).isError).toBeFalsy();
    await waitUntil('it to be queried again', () => offered()?.includes('echo') === false);
    const refused = await client.callTool({ name: `${id}__echo`, arguments: {} });
    expect(refused).toMatchObject({ isError: true, _meta: { 'souk/code': 'tool_changed' } });
    // another client: one may cache its list for a while
    const later = await connectModern(`${app.publicUrl}/mcp`, token);
    const { tools } = await later.listTools();
    await later.close();
    expect(tools.map(({ name }) => name)).not.toContain(`${id}__echo`);
    expect(tools.find(({ name }) => name === `${id}__refuse`)?.description).toContain('Says no.');
    const { rows } = await app.db.query<{ action: string; subject: string }>(
      `select action, subject from audit_log where subject like $1 order by subject`,
      [`${id}/%`],
    );
    expect(rows).toEqual([
      { action: 'tool-change.under-review', subject: `${id}/echo` },
      { action: 'tool-change.accepted', subject: `${id}/refuse` },
    ]);
  },
);
