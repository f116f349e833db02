import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { createLog } from '#platform/log.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import type { StoredAccount } from '../sign-in/account-store.ts';
import { signInAt, startVault, vaultManifest, type Vault } from '../sign-in/testing/vault.ts';
import { createManualTime } from '../testing/manual-time.ts';
import { createPersonalToolStore } from './personal-tool-store.ts';
import { createPersonalTools } from './personal-tools.ts';

const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' as const } });
const everything = ['delete_all', 'echo', 'export'];
const startMs = Date.now();

describeOnEmbedded('personal tools', migrations, (open) => {
  let fixture: Vault['fixture'];
  let app: Vault['app'];
  let ann: Vault['ann'];
  let close: Vault['close'];
  let nowMs = startMs;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    const manifest = () => ({
      capabilitySnapshot: {
        tools: everything.map(tool),
        prompts: [{ name: 'hello' }, { name: 'secret' }],
        resources: [
          { uri: 'test://a', name: 'a' },
          { uri: 'test://b', name: 'b' },
        ],
      },
    });
    const db = await open();
    ({ fixture, app, ann, close } = await startVault({
      app: () => ({ db, clock: { now: () => nowMs } }),
      manifest,
    }));
    for (const name of ['ann', 'bob']) {
      const created = await app.identity.createPersonalToken({ email: `${name}@souk.test`, name: 'test' });
      tokens[name] = created.token;
    }
  });
  afterAll(() => close?.());

  async function ask(who: string, method: string, params: Record<string, unknown> = {}, link = '/mcp') {
    return (await postModern(`${app.publicUrl}${link}`, tokens[who] ?? '', method, params)).body;
  }
  /** Returns the server's names in a user's list. */
  async function listed(who: string, kind: 'tools' | 'prompts' | 'resources', link = '/s/vault/mcp') {
    const { result } = await ask(who, `${kind}/list`, {}, link);
    const items = result?.[kind];
    if (!Array.isArray(items)) throw new Error(JSON.stringify(result));
    return items.map((item) => String(kind === 'resources' ? item.uri : item.name)).toSorted();
  }
  const signIn = () => signInAt(ann, fixture);
  /** Counts requests with a user's token, and so not the health checks. */
  const signedRequests = () => fixture.seen.filter((authorization) => authorization !== '').length;
  const until = (names: readonly string[]) =>
    waitUntil(`Ann to be shown ${names.join()}`, async () => (await listed('ann', 'tools')).join() === names.join());

  describe('over one sequence of sign-ins and changes', { shuffle: false }, () => {
    test('before a sign-in the list shows what the manifest says', async () => {
      expect(await listed('ann', 'tools')).toEqual(everything);
      expect(await listed('ann', 'prompts')).toEqual(['hello', 'secret']);
      expect(await listed('ann', 'resources')).toEqual(['test://a', 'test://b']);
    });

    test('after it the list shows what their account offers, even if the manifest differs; no other list changes', async () => {
      const client = await connectLegacy(`${app.publicUrl}/mcp`, tokens['ann'] ?? '');
      const notices: string[] = [];
      client.onNotice((method) => notices.push(method));
      fixture.setTools([tool('echo'), tool('export'), tool('of_no_manifest')]);
      await signIn();
      await until(['echo', 'export', 'of_no_manifest']);
      await waitUntil('the notice', () => notices.includes('notifications/tools/list_changed'));
      expect(await listed('ann', 'prompts')).toEqual(['hello']);
      expect(await listed('ann', 'resources')).toEqual(['test://a']);
      expect((await listed('ann', 'tools', '/mcp')).filter((name) => name.startsWith('vault'))).toEqual([
        'vault__echo',
        'vault__export',
        'vault__of_no_manifest',
      ]);
      expect(await listed('bob', 'tools')).toEqual(everything);
      await client.close();
    });

    test('a tool that is not in the list cannot be called or found, as if it did not exist', async () => {
      const call = (name: string, link: string) => ask('ann', 'tools/call', { name, arguments: { text: 'hi' } }, link);
      for (const [name, link] of [
        ['vault__delete_all', '/mcp'],
        ['delete_all', '/s/vault/mcp'],
      ] as const) {
        expect((await call(name, link)).error).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
      }
      expect((await call('vault__echo', '/mcp')).result).toMatchObject({ content: [{ text: 'hi' }] });
      expect((await ask('ann', 'prompts/get', { name: 'vault__secret' })).error).toMatchObject({
        code: -32602,
        message: 'Unknown prompt: vault__secret',
      });
      const find = (who: string) => ask(who, 'tools/call', { name: 'find_tools', arguments: { query: 'delete_all' } });
      expect(JSON.stringify(await find('ann'))).not.toContain('vault__delete_all');
      expect(JSON.stringify(await find('bob'))).toContain('vault__delete_all');
    });

    test("a change that the server announces on the user's connection changes their list, with tools that the shop shows unchanged", async () => {
      nowMs += 11_000;
      fixture.setTools([tool('delete_all'), tool('echo')]);
      await until(['delete_all', 'echo']);
      expect(await listed('bob', 'tools')).toEqual(everything);
    });

    test('a server that announces changes repeatedly is queried once in ten seconds', async () => {
      nowMs += 11_000;
      const before = signedRequests();
      for (let n = 0; n < 20; n++) fixture.setTools([tool('echo')]);
      await until(['echo']);
      // tools, prompts, resources and templates, once
      expect(signedRequests() - before).toBeLessThanOrEqual(4);
    });

    test('a list waits for no server: while one hangs, a user who has just signed in sees their previous tools', async () => {
      const unanswered: ServerResponse[] = [];
      fixture.mischief.intercept = ({ url, headers }, response) =>
        url === '/mcp' && headers.authorization !== undefined && unanswered.push(response) > 0;
      await signIn();
      await waitUntil('the server to be queried', () => unanswered.length > 0);
      expect(await listed('ann', 'tools')).toEqual(['echo']);
      expect(
        unanswered.filter(({ destroyed }) => destroyed),
        'the server has not responded yet',
      ).toEqual([]);
      fixture.mischief = {};
      for (const response of unanswered) response.destroy();
    });

    test('after a disconnect the list shows what the manifest says again', async () => {
      await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
      expect(await listed('ann', 'tools')).toEqual(everything);
      const { rows } = await app.db.query('select 1 from personal_tools');
      expect(rows).toEqual([]);
    });

    test('a change during a time without connections is found over the next connection', async () => {
      fixture.setTools([tool('echo')]);
      await signIn();
      await until(['echo']);
      await app.upstreams.pool.dropAll('vault');
      fixture.setTools([tool('echo'), tool('export')]);
      nowMs += 61 * 60_000;
      expect(await listed('ann', 'tools')).toEqual(['echo']);
      await ask('ann', 'tools/call', { name: 'vault__echo', arguments: { text: 'hi' } });
      await until(['echo', 'export']);
    });

    test('what a server offered before another version was deployed does not count for that version', async () => {
      let asked = 0;
      let held: { request: IncomingMessage; response: ServerResponse } | undefined;
      fixture.mischief.intercept = (request, response) => {
        const isAsked = request.headers['mcp-method'] === 'tools/list' && request.headers.authorization !== undefined;
        if (!isAsked || request === held?.request) return false;
        asked++;
        if (held) return false;
        held = { request, response };
        return true;
      };
      nowMs += 61 * 60_000;
      await listed('ann', 'tools');
      await waitUntil('the server to be queried', () => held !== undefined);
      await deployManifest(app, { ...vaultManifest(fixture), version: '2.0.0' });
      // the server answers the earlier request
      if (!held) throw new Error('the server was not asked');
      const { request, response } = held;
      const { server } = request.socket as unknown as { server: Server };
      server.emit('request', request, response);
      await waitUntil('it has answered', () => response.writableFinished);
      const version = async () => {
        await listed('ann', 'tools');
        const { rows } = await app.db.query<{ manifest_version: string }>(
          'select manifest_version from personal_tools',
        );
        return rows[0]?.manifest_version;
      };
      for (let count = 0; count < 10; count++) {
        const found = await version();
        // an earlier notice may cause another query at any time
        expect(asked > 1 ? '1.0.0' : found).toBe('1.0.0');
      }
      nowMs += 31_000;
      await waitUntil('the new version to be queried', async () => (await version()) === '2.0.0');
      expect(asked).toBeGreaterThan(1);
      fixture.mischief = {};
    });

    test('a failed query after a sign-in is retried after 2, 10 and 60 s, unless that is hopeless', async () => {
      const time = createManualTime(nowMs);
      const { rows } = await app.db.query<{ id: string }>('select id from upstream_connections');
      const account = { id: rows[0]?.id, userId: ann.userId, serverId: 'vault', state: 'signed-in' };
      let problem: UpstreamError | undefined = new UpstreamError('unreachable', 'away');
      let tries = 0;
      const stored: string[] = [];
      const told: string[] = [];
      const store = createPersonalToolStore({ db: app.db, clock: time.clock, log: createLog('silent') });
      const personalTools = createPersonalTools({
        // why the cast: what a connection needs of an account is read by the pool itself
        accounts: { find: async () => account as StoredAccount },
        store: {
          ...store,
          async store(of, ...offered) {
            const isChanged = await store.store(of, ...offered);
            stored.push(of.userId);
            return isChanged;
          },
        },
        catalogue: app.catalogue,
        pool: {
          async acquire(server, userId) {
            tries++;
            if (problem) throw problem;
            return app.upstreams.pool.acquire(server, userId);
          },
        },
        isOf: () => true,
        announce: async () => {},
        timers: time.timers,
        clock: time.clock,
        log: createLog('debug', { write: (line: string) => void told.push(line) }),
      });
      const failed = (count: number) => waitUntil(`failure ${count}`, () => told.length === count);
      personalTools.signedIn(ann.userId, 'vault');
      for (const [index, delayMs] of [2_000, 10_000, 60_000].entries()) {
        await failed(index + 1);
        time.pass(delayMs - 1);
        expect([tries, time.pending()]).toEqual([index + 1, 1]);
        time.pass(1);
      }
      await failed(4);
      expect([tries, time.pending()]).toEqual([4, 0]);

      problem = new UpstreamError('sign_in_required', 'the account has ended');
      personalTools.signedIn(ann.userId, 'vault');
      await failed(5);
      expect(time.pending()).toBe(0);

      problem = new UpstreamError('unreachable', 'away');
      personalTools.signedIn(ann.userId, 'vault');
      await failed(6);
      problem = undefined;
      time.pass(2_000);
      await waitUntil('the response to be stored', () => stored.length === 1);
      expect([stored, time.pending()]).toEqual([[ann.userId], 0]);
      await personalTools.stop();
    });

    test('a list of more than 4 MiB is not stored: the user keeps the previous list, and the log says why', async () => {
      const before = await listed('ann', 'tools');
      // as much as a list may have, and what is stored with each definition
      const note = 'x'.repeat(8_500);
      const large = Array.from({ length: 500 }, (_, index) => ({
        ...tool(`large_${index}`),
        inputSchema: { type: 'object' as const, properties: { a: { type: 'string', pattern: note } } },
      }));
      fixture.setTools([tool('echo'), ...large]);
      nowMs += 61 * 60_000;
      await listed('ann', 'tools');
      const told = () =>
        app
          .logged()
          .split('\n')
          .filter((line) => line.includes('vault offers more than 4194304 bytes'));
      await waitUntil('the log to say so', () => told().length > 0);
      expect(JSON.parse(told()[0] ?? '')).toMatchObject({ level: 40, server: 'vault', userId: ann.userId });
      expect(await listed('ann', 'tools')).toEqual(before);
      // on further queries it is logged once
      const asked = signedRequests();
      nowMs += 31_000;
      await listed('ann', 'tools');
      await waitUntil('the server to be asked again', () => signedRequests() > asked);
      fixture.setTools([tool('export')]);
      nowMs += 31_000;
      await until(['export']);
      expect(told()).toHaveLength(1);
    });
  });
});
