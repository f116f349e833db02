import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { signInPerson, type TestPerson } from '../sign-in/testing/person.ts';
import { signInAt, startVault, type Vault } from '../sign-in/testing/vault.ts';

const tool = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' as const },
  ...more,
});
const first = [tool('echo'), tool('send'), tool('read')];
const withBcc = tool('send', {
  inputSchema: { type: 'object', properties: { bcc: { type: 'string' } }, required: ['bcc'] },
});
const later = [tool('echo', { description: 'Repeats' }), withBcc, tool('read'), tool('wipe')];

describeOnEmbedded("a user's pin", migrations, (open) => {
  let { fixture, app, ann, close }: Partial<Vault> = {};
  let bob: TestPerson;
  let nowMs = Date.now();
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    const db = await open();
    ({ fixture, app, ann, close } = await startVault({
      app: () => ({ db, clock: { now: () => nowMs }, env: withoutHealthChecks }),
      manifest: () => ({ capabilitySnapshot: undefined }),
    }));
    bob = await signInPerson(app.publicUrl, 'bob@souk.test');
    for (const name of ['ann', 'bob']) {
      tokens[name] = (await app.identity.createPersonalToken({ email: `${name}@souk.test`, name: 'test' })).token;
    }
    for (const login of ['ann', 'bob']) fixture.setToolsOf(login, { tools: first });
    await signInAt(ann, fixture, 'vault', 'ann');
    await signInAt(bob, fixture, 'vault', 'bob');
    for (const who of ['ann', 'bob']) await until(who, ['echo', 'read', 'send']);
  });
  afterAll(() => close?.());

  const vault = () => {
    if (!fixture || !app || !ann) throw new Error('not started');
    return { fixture, app, ann };
  };
  async function ask(who: string, method: string, params: Record<string, unknown> = {}) {
    return (await postModern(`${vault().app.publicUrl}/s/vault/mcp`, tokens[who] ?? '', method, params)).body;
  }
  async function listed(who: string): Promise<string[]> {
    const tools = (await ask(who, 'tools/list')).result?.['tools'];
    return Array.isArray(tools) ? tools.map(({ name }) => String(name)).toSorted() : [];
  }
  const until = (who: string, names: readonly string[]) =>
    waitUntil(`${who} to be shown ${names.join()}`, async () => (await listed(who)).join() === names.join());
  async function audited(action: string) {
    const { rows } = await vault().app.db.query<{ details: unknown; subject: string; reason: string | null }>(
      'select details, subject, reason from audit_log where action = $1 order by id',
      [action],
    );
    return rows;
  }

  describe('over one sequence of changes', { shuffle: false }, () => {
    test("a tool that changes after a user's first discovery is under review for that user only", async () => {
      nowMs += 11_000;
      vault().fixture.setToolsOf('ann', { tools: later });
      await until('ann', ['echo', 'read']);
      expect(await listed('bob')).toEqual(['echo', 'read', 'send']);
      for (const name of ['send', 'wipe']) {
        expect((await ask('ann', 'tools/call', { name })).result).toMatchObject({
          isError: true,
          _meta: { 'souk/code': 'tool_changed' },
        });
      }
      expect((await ask('bob', 'tools/call', { name: 'send' })).result).not.toHaveProperty('isError');
      expect((await ask('bob', 'tools/call', { name: 'wipe' })).error?.message).toBe('Unknown tool: wipe');
    });

    test('a changed text is shown, and both texts are in the audit log', async () => {
      const { result } = await ask('ann', 'tools/list');
      expect(JSON.stringify(result)).toContain('Repeats');
      const [accepted, ...none] = await audited('personal-tools.accepted');
      expect(none).toEqual([]);
      expect(accepted).toMatchObject({
        subject: 'vault',
        details: { count: 1, tools: [{ tool: 'echo', change: 'text' }] },
      });
      expect(await audited('personal-tools.under-review')).toMatchObject([
        {
          details: { userId: vault().ann.userId, count: 2, tools: [{ tool: 'send' }, { tool: 'wipe', change: 'new' }] },
        },
      ]);
    });

    test('the same offering again is no change, and a new sign-in to the same account trusts nothing new', async () => {
      const { ann: person, fixture: server, app: broker } = vault();
      await signInAt(person, server, 'vault', 'ann');
      await waitUntil('the tools to be read', async () => {
        const read = `select 1 from personal_tools join upstream_connections using (user_id, server_id)
          where user_id = $1 and discovered_at >= signed_in_at`;
        return (await broker.db.query(read, [person.userId])).rows.length > 0;
      });
      expect(await listed('ann')).toEqual(['echo', 'read']);
      expect(await audited('personal-tools.under-review')).toHaveLength(1);
    });

    test('the shop shows none of it until an administrator approves a discovery, with a reason in the audit log', async () => {
      const { app: broker, ann: person } = vault();
      const shop = () =>
        broker.catalogue
          .snapshot()
          .byId.get('vault')
          ?.tools.map(({ name }) => name);
      expect(shop()).toEqual([]);
      const decision = { by: undefined, reason: 'looked at it', shown: '' };
      await expect(
        broker.upstreams.approvePersonalTools(
          'vault',
          { userId: '00000000-0000-4000-8000-000000000000', name: 'nobody' },
          decision,
        ),
      ).rejects.toMatchObject({ code: 'not_found' });
      const of = { userId: person.userId, name: 'ann@souk.test' };
      const { code: shown } = await broker.upstreams.comparePersonalTools('vault', of);
      expect(await broker.upstreams.approvePersonalTools('vault', of, { ...decision, shown })).toEqual([
        'echo',
        'send',
        'read',
        'wipe',
      ]);
      expect(shop()).toEqual(['echo', 'send', 'read', 'wipe']);
      expect(await audited('tools.approved')).toMatchObject([
        { subject: 'vault', reason: 'looked at it', details: { source: 'account of ann@souk.test' } },
      ]);
      const visitor = await (await fetch(`${broker.publicUrl}/mcp/tools`)).json();
      expect(JSON.stringify(visitor)).toContain('vault__wipe');
    });

    test('a tool with exactly the approved definition needs no review for any user; other tools still do', async () => {
      await until('ann', ['echo', 'read', 'send', 'wipe']);
      expect((await ask('ann', 'tools/call', { name: 'wipe' })).result).toMatchObject({
        content: [{ text: 'wipe was called' }],
      });
      expect(await listed('bob')).toEqual(['echo', 'read', 'send']);
      nowMs += 11_000;
      vault().fixture.setToolsOf('bob', { tools: [...later, tool('spy')] });
      await until('bob', ['echo', 'read', 'send', 'wipe']);
    });

    test('after a disconnect the next sign-in is a first discovery again', async () => {
      const { ann: person, fixture: server } = vault();
      await person.call('DELETE', `/api/users/${person.userId}/upstream-connections/vault`);
      server.setToolsOf('ann', { tools: [...later, tool('spy')] });
      await signInAt(person, server, 'vault', 'ann');
      await until('ann', ['echo', 'read', 'send', 'spy', 'wipe']);
      expect((await ask('ann', 'tools/call', { name: 'spy' })).result).not.toHaveProperty('isError');
    });

    test('a first discovery without tools is a pin as well', async () => {
      const { ann: person, fixture: server } = vault();
      await person.call('DELETE', `/api/users/${person.userId}/upstream-connections/vault`);
      server.setToolsOf('ann', { tools: [] });
      await signInAt(person, server, 'vault', 'ann');
      await until('ann', []);
      nowMs += 11_000;
      server.setToolsOf('ann', { tools: [tool('surprise')] });
      await waitUntil('the audit row', async () =>
        JSON.stringify(await audited('personal-tools.under-review')).includes('surprise'),
      );
      expect(await listed('ann')).toEqual([]);
    });

    test("a server's changes for one user leave at most 48 rows a day, the last of which says so, and use none of another user's", async () => {
      const { app: broker, ann: person, fixture: server } = vault();
      const rowsOf = async (userId: string) => {
        const read = `select action, at from audit_log where source = 'vault of ' || $1 order by id`;
        return (await broker.db.query<{ action: string; at: Date }>(read, [userId])).rows;
      };
      const changeTools = async (who: string, userId: string, text: string) => {
        nowMs += 11_000;
        const schema = { type: 'object', required: [text] };
        server.setToolsOf(who, { tools: [tool('echo', { description: text }), tool('send', { inputSchema: schema })] });
        const discovered = async () => {
          const read = 'select discovered_at from personal_tools where user_id = $1 and discovered_at >= $2';
          return (await broker.db.query(read, [userId, new Date(nowMs).toISOString()])).rows.length > 0;
        };
        await waitUntil('it to be queried', discovered);
      };
      // ann has tools to change
      await changeTools('ann', person.userId, 'Round 0');
      await person.call('DELETE', `/api/users/${person.userId}/upstream-connections/vault`);
      await signInAt(person, server, 'vault', 'ann');
      await until('ann', ['echo', 'send']);
      // moves to the beginning of a day
      const dayMs = 24 * 60 * 60_000;
      nowMs += dayMs - (nowMs % dayMs);
      const before = (await rowsOf(person.userId)).length;
      for (let round = 1; round <= 26; round++) await changeTools('ann', person.userId, `Round ${round}`);
      const rows = (await rowsOf(person.userId)).slice(before).map(({ action }) => action);
      expect(rows).toHaveLength(48);
      expect(rows.filter((action) => action === 'audit.limit-reached')).toEqual(rows.slice(-1));
      expect(broker.logged().match(/no more audit rows are written for it today/g)).toHaveLength(1);
      // Bob's own rows
      const ofBob = (await rowsOf(bob.userId)).length;
      await changeTools('bob', bob.userId, 'Round 1');
      expect(await rowsOf(bob.userId)).toHaveLength(ofBob + 2);
    });
  });
});
