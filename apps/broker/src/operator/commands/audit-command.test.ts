import { userInfo } from 'node:os';
import { adminAuditEndpoints } from '@souk/contract/admin/audit.ts';
import { createClient } from '@souk/contract/client.ts';
import { createPersonalToken } from '@souk/contract/identity.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { runCli } from '#operator/cli/run-cli.ts';
import { describeOnEmbedded, describeOnPostgres } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer } from '#platform/operator/operator-server.ts';
import type { Database } from '#platform/db/database.ts';
import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import { auditCommand } from './audit-command.ts';
import { operatorCommands } from './operator-commands.ts';
import { auditOf } from '../../app/audit-of-database.ts';
import { migrations } from '../../migrations.ts';

// The audit log as administrators see it: in the browser, in files and in the terminal.

/** @param isWhole whether all tests run, or only those that depend on the database engine */
const testsOf = (isWhole: boolean) => (open: () => Promise<Database>) => {
  let app: TestApp;
  let admin: { userId: string; accessToken: string };
  let ann: { userId: string; accessToken: string };
  let api: ReturnType<typeof apiOf>;

  const apiOf = (token: string) =>
    createClient(adminAuditEndpoints, { baseUrl: app.publicUrl, fetch, token: async () => token });
  async function signIn(email: string) {
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
    const [{ id: userId = '' } = {}] = await app.identity.users.find(email);
    return { userId, accessToken };
  }
  async function send(method: string, path: string, body: object, token = admin.accessToken) {
    const answer = await fetch(app.publicUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.status;
  }
  const write = (entry: AuditEntry, at: string) => writeAuditWith(app.db.query, entry, new Date(at));

  beforeAll(async () => {
    app = await startTestApp({ db: await open(), env: { TRUST_PROXY: '127.0.0.1', SUPPORT_EMAIL: 'help@souk.test' } });
    admin = await signIn('admin@souk.test');
    ann = await signIn('ann@souk.test');
    api = apiOf(admin.accessToken);
    // older rows, so that the pages with the tests' actions do not move
    const rule = { actorId: undefined };
    await write(
      { ...rule, action: 'manifest.deployed', subject: 'travel', details: { version: '1.0.0', via: 'start' } },
      '2026-01-01T10:00:00Z',
    );
    await write(
      {
        ...rule,
        action: 'manifest.deployed',
        subject: 'travel',
        details: { version: '1.1.0', before: '1.0.0', via: 'command' },
      },
      '2026-01-02T10:00:00Z',
    );
    await write(
      { ...rule, action: 'tool-change.accepted', subject: 'travel/plan', details: { change: 'text', id: 4 } },
      '2026-01-03T10:00:00Z',
    );
    await write(
      {
        actorId: admin.userId,
        action: 'user.deactivated',
        subject: ann.userId,
        reason: 'sent =spam',
        details: { endNow: true },
      },
      '2026-01-04T10:00:00Z',
    );
    await write(
      {
        ...rule,
        action: 'credits.set',
        subject: ann.userId,
        details: { credits: 10, change: 4, sandbox: true, operator: 'root' },
      },
      '2026-01-05T10:00:00Z',
    );
    // two at the same moment: a page between them neither loses nor repeats one
    for (const subject of ['notes', 'notes_old'])
      await write({ ...rule, action: 'manifest.deleted', subject, details: { renters: 0 } }, '2026-01-06T10:00:00Z');
    return () => app.stop();
  });

  const old = { from: '2026-01-01', to: '2026-01-31' };
  const objects = async (query: Parameters<typeof api.listAudit>[0]['query']) =>
    (await api.listAudit({ query: { ...old, ...query } })).entries.map(({ object }) => object.name).join(' ');

  test('is filtered by actor, group, object and time, and paged in both directions', async () => {
    expect(await objects({ who: 'people' })).toBe('ann@souk.test');
    expect(await objects({ who: 'operators' })).toBe('ann@souk.test travel');
    expect(await objects({ who: 'operator:root' })).toBe('ann@souk.test');
    expect(await objects({ who: 'broker' })).toBe('notes_old notes travel/plan travel');
    expect(await objects({ who: admin.userId })).toBe('ann@souk.test');
    expect(await objects({ who: 'ADMIN@souk' })).toBe('ann@souk.test');
    expect(await objects({ who: 'nobody@souk.test' })).toBe('');
    expect(await objects({ group: 'servers' })).toBe('notes_old notes travel travel');
    expect(await objects({ group: 'tools' })).toBe('travel/plan');
    expect(await objects({ object: 'TRAVEL' })).toBe('travel/plan travel travel');
    expect(await objects({ object: 'notes_' })).toBe('notes_old');
    expect(await objects({ object: '%' })).toBe('');
    expect(await objects({ object: 'ann@' })).toBe('ann@souk.test ann@souk.test');
    expect(await objects({ object: 'travel', group: 'servers', who: 'broker' })).toBe('travel');
    expect(await objects({ from: '2026-01-02', to: '2026-01-03' })).toBe('travel/plan travel');
    expect(await objects({ from: '2026-01-02T10:00:00.001Z', to: '2026-01-03T10:00:00+00:00' })).toBe('travel/plan');
    for (const filter of [{}, { group: 'servers' } as const]) {
      const all = (await api.listAudit({ query: { ...old, ...filter } })).entries.map(({ id }) => id);
      const pages: string[][] = [];
      let page = await api.listAudit({ query: { ...old, ...filter, limit: 2 } });
      expect(page.newer).toBeNull();
      for (;;) {
        pages.push(page.entries.map(({ id }) => id));
        if (page.older === null) break;
        page = await api.listAudit({ query: { ...old, ...filter, limit: 2, cursor: page.older } });
      }
      expect(pages.flat()).toEqual(all);
      const back: string[][] = [page.entries.map(({ id }) => id)];
      while (page.newer !== null) {
        page = await api.listAudit({ query: { ...old, ...filter, limit: 2, cursor: page.newer, side: 'newer' } });
        back.unshift(page.entries.map(({ id }) => id));
      }
      expect(back.flat()).toEqual(all);
    }
  });

  test('an action over HTTP records its network address, also if it is refused, and erasing a user deletes theirs', async () => {
    const bea = await signIn('bea@souk.test');
    const before = new Set((await api.listAudit({ query: { limit: 200 } })).entries.map(({ id }) => id));
    const forwarded = async (method: string, path: string, body: object, token?: string) => {
      const answer = await fetch(app.publicUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token ?? admin.accessToken}`,
          'content-type': 'application/json',
          'x-forwarded-for': '203.0.113.7',
        },
        body: JSON.stringify(body),
      });
      return answer.status;
    };
    expect(await forwarded('PUT', `/admin/users/${bea.userId}/credits`, { credits: 7, reason: 'a gift' })).toBe(200);
    expect(await forwarded('PUT', `/admin/users/${ann.userId}/credits`, { credits: 7 }, bea.accessToken)).toBe(403);
    const seen = async () => {
      const { entries } = await api.listAudit({ query: { from: '2026-02-01', limit: 200 } });
      return entries
        .filter(({ id }) => !before.has(id))
        .map(({ action, who, address }) => [action, who.kind === 'person' && who.email, address]);
    };
    expect(await seen()).toEqual([
      ['administration.refused', 'bea@souk.test', '203.0.113.7'],
      ['credits.set', 'admin@souk.test', '203.0.113.7'],
    ]);
    expect(await send('POST', `/admin/users/${bea.userId}/erase`, { confirm: 'bea@souk.test' })).toBe(200);
    expect(await seen()).toEqual([
      ['user.erased', 'admin@souk.test', '127.0.0.1'],
      ['administration.refused', null, null],
      ['credits.set', 'admin@souk.test', '203.0.113.7'],
    ]);
    // nothing else can change the row
    await expect(app.db.query('update audit_log set address = null')).rejects.toThrow(/append-only/);
    await expect(
      app.db.transaction(async (query) => {
        await query(`select set_config('souk.erased_actor', $1, true)`, [admin.userId]);
        await query(`update audit_log set address = null, reason = 'y' where actor_id = $1`, [admin.userId]);
      }),
    ).rejects.toThrow(/append-only/);
  });

  if (!isWhole) return;

  test('is described in words: who did what to what, from which to which value, why and from where', async () => {
    const { entries } = await api.listAudit({ query: old });
    expect(entries.map(({ id: _id, ...entry }) => entry)).toEqual([
      expect.objectContaining({
        text: 'Deleted a server',
        object: { id: 'notes_old', name: 'notes_old', serverId: 'notes_old', userId: null, offerId: null },
      }),
      expect.objectContaining({ action: 'manifest.deleted', facts: [{ name: 'renters', text: '0' }] }),
      {
        at: '2026-01-05T10:00:00.000Z',
        who: { kind: 'operator', name: 'root' },
        action: 'credits.set',
        text: 'Set credits',
        object: { id: ann.userId, name: 'ann@souk.test', serverId: null, userId: ann.userId, offerId: null },
        changes: [{ field: 'credits', before: '6', after: '10' }],
        facts: [{ name: 'demo payments', text: 'yes' }],
        ids: [],
        reason: null,
        address: null,
      },
      expect.objectContaining({
        who: { kind: 'person', id: admin.userId, email: 'admin@souk.test' },
        text: 'Deactivated a user',
        reason: 'sent =spam',
        facts: [{ name: 'end now', text: 'yes' }],
      }),
      expect.objectContaining({
        who: { kind: 'broker' },
        object: { id: 'travel/plan', name: 'travel/plan', serverId: 'travel', userId: null, offerId: null },
        facts: [{ name: 'change', text: 'text' }],
        ids: [{ name: 'id', text: '4' }],
      }),
      expect.objectContaining({
        who: { kind: 'operator', name: null },
        changes: [{ field: 'version', before: '1.0.0', after: '1.1.0' }],
        facts: [],
      }),
      expect.objectContaining({
        who: { kind: 'broker' },
        changes: [{ field: 'version', before: null, after: '1.0.0' }],
      }),
    ]);
  });

  test('of offers and payments is described in words: prices with their currency, ids separately, an offer with its page', async () => {
    const currency = { from: 'USD', to: 'USD' };
    const plan = { kind: 'plan', name: 'Pro', amount: 1900, currency: 'USD', tier: 'T2', features: [], popular: false };
    const groups = [
      { subscribers: 2, amount: 1000, currency: 'USD', monthlyCredits: 300 },
      { subscribers: 1, amount: null, currency: null, monthlyCredits: null },
    ];
    const told: readonly [AuditEntry['action'], subject: string, details: Record<string, unknown>, expected: object][] =
      [
        [
          'offer.changed',
          'offer:pro',
          {
            kind: 'plan',
            before: { amount: 1000, tier: 'T1' },
            after: { amount: 1200, tier: 'T2' },
            currency,
            moved: true,
          },
          {
            changes: [
              { field: 'tier', before: 'Basic', after: 'Professional' },
              { field: 'price', before: '$10', after: '$12' },
            ],
            facts: [
              { name: 'kind', text: 'plan' },
              { name: 'another place in the list', text: 'yes' },
            ],
          },
        ],
        [
          'offer.created',
          'offer:pro',
          { kind: 'plan', after: plan, currency },
          { changes: expect.arrayContaining([{ field: 'price', before: null, after: '$19' }]), ids: [] },
        ],
        [
          'offer.move-started',
          'offer:pro',
          { move: 'm-1', amount: 1200, currency: 'USD', monthlyCredits: 400, subscribers: 3, groups },
          {
            object: { id: 'offer:pro', name: 'pro', serverId: null, userId: null, offerId: 'pro' },
            facts: [
              { name: 'so far', text: '2 at $10/month with 300 credits, 1 at an unknown price' },
              { name: 'subscribers', text: '3' },
              { name: 'monthly credits', text: '400' },
              { name: 'price', text: '$12' },
            ],
            ids: [{ name: 'move', text: 'm-1' }],
          },
        ],
        [
          'payment.flagged',
          'order-1',
          {
            sessionId: 'cs_1',
            userId: ann.userId,
            currency: 'EUR',
            differences: { amount: { ordered: 900, paid: 90 }, quantity: { ordered: 1, paid: null } },
          },
          {
            object: { id: 'order-1', name: 'ann@souk.test', serverId: null, userId: ann.userId, offerId: null },
            changes: [
              { field: 'amount', before: '€9', after: '€0.90' },
              { field: 'quantity', before: '1', after: null },
            ],
            facts: [],
            ids: [
              { name: 'user id', text: ann.userId },
              { name: 'session id', text: 'cs_1' },
            ],
          },
        ],
        [
          'subscription.found-by-reconciler',
          'sub_1',
          { status: { was: 'active', is: 'canceled' } },
          { changes: [{ field: 'status', before: 'active', after: 'canceled' }], facts: [] },
        ],
      ];
    for (const [index, [action, subject, details]] of told.entries())
      await write({ actorId: undefined, action, subject, details }, `1999-01-01T10:0${index}:00Z`);
    const { entries } = await api.listAudit({ query: { to: '1999-12-31' } });
    expect(entries.toReversed()).toEqual(told.map(([, , , expected]) => expect.objectContaining(expected)));
    // with the readable id, without the prefix that distinguishes it from a server
    expect((await api.listAudit({ query: { to: '1999-12-31', object: 'pr' } })).entries).toHaveLength(3);
  });

  test('refuses filters that no row can match, with a reason, in the browser, in files and in the terminal', async () => {
    const reversed = { from: '2026-01-03', to: '2026-01-02' };
    const refusal = { status: 400, message: 'query.from: must not be later than `to`' };
    for (const call of [api.listAudit, api.getAuditCsv, api.getAuditLines])
      await expect(call({ query: reversed })).rejects.toMatchObject(refusal);
    const groups = '"servers", "tools", "users", "access", "payments" or "administration"';
    const answer = await fetch(`${app.publicUrl}/admin/audit?group=everything`, {
      headers: { authorization: `Bearer ${admin.accessToken}` },
    });
    expect(await answer.json()).toMatchObject({ message: `query.group: must be ${groups}` });
    const command = auditCommand(auditOf(app.db.query))['audit.list'];
    await expect(command?.(reversed)).rejects.toThrow('must not be later than `to`');
  });

  test('its files have the filtered rows, contain no formulas, need the token, and are audited', async () => {
    const filter = { who: 'people', ...old };
    const csv = await api.getAuditCsv({ query: filter });
    expect(csv.split('\r\n')).toEqual([
      '"id","at","who","userId","what","action","object","objectId","changes","reason","address"',
      expect.stringMatching(
        new RegExp(
          `^\\d+,"2026-01-04T10:00:00.000Z","admin@souk.test","${admin.userId}","Deactivated a user","user.deactivated","ann@souk.test","${ann.userId}","end now: yes","sent =spam",$`,
        ),
      ),
      '',
    ]);
    const lines = (await api.getAuditLines({ query: filter })).split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toEqual((await api.listAudit({ query: filter })).entries[0]);
    expect(await api.getAuditLines({ query: { who: 'nobody@souk.test' } })).toBe('');
    const { entries } = await api.listAudit({ query: { object: 'audit log', limit: 3 } });
    const filtered = [
      { name: 'who', text: 'people' },
      { name: 'from', text: '2026-01-01T00:00:00.000Z' },
      { name: 'before', text: '2026-02-01T00:00:00.000Z' },
    ];
    const by = { kind: 'person', id: admin.userId, email: 'admin@souk.test' };
    expect(entries.map(({ text, who, facts }) => [text, who, facts])).toEqual([
      [
        'Exported the audit log',
        by,
        [
          { name: 'who', text: 'nobody@souk.test' },
          { name: 'format', text: 'JSON lines' },
        ],
      ],
      ['Exported the audit log', by, [...filtered, { name: 'format', text: 'JSON lines' }]],
      ['Exported the audit log', by, [...filtered, { name: 'format', text: 'CSV' }]],
    ]);
    const browser = new ScriptedBrowser(app.publicUrl);
    const { accessToken } = await browser.signInWeb({ email: 'admin@souk.test' });
    for (const path of ['/admin/audit', '/admin/audit.csv', '/admin/audit.jsonl']) {
      expect((await browser.request(path)).status, 'a cookie does not open them').toBe(401);
      expect((await fetch(`${app.publicUrl}${path}?access_token=${accessToken}`)).status).toBe(401);
      expect(
        (await fetch(app.publicUrl + path, { headers: { authorization: `Bearer ${ann.accessToken}` } })).status,
      ).toBe(403);
    }
  });

  const run = async (...words: string[]) => {
    const lines: string[] = [];
    const environment = { DATA_DIR: app.dataDir };
    const code = await runCli(words, {
      environment,
      stdout: (line) => lines.push(line),
      stderr: (line) => lines.push(line),
    });
    return { code, lines };
  };
  const bringBack = () => app.db.query('alter table if exists audit_log_elsewhere rename to audit_log');
  afterEach(bringBack);
  const startOperator = () =>
    createOperatorServer({
      dataDir: app.dataDir,
      commands: { ...operatorCommands(app), ...auditCommand(auditOf(app.db.query)) },
      log: createLog('silent'),
    });

  test('token create leaves a row for the token, and one for the user it created; creating your own token leaves none', async () => {
    const operator = await startOperator();
    try {
      const create = (name: string) => run('token', 'create', '--email', 'Tina@souk.test', '--name', name);
      const made = await create('laptop of TINA@souk.test');
      const token = made.lines[0] ?? '';
      expect(token).toMatch(/^souk_pat_/);
      const tina = await signIn('tina@souk.test');
      const own = createClient([createPersonalToken], {
        baseUrl: app.publicUrl,
        fetch,
        token: async () => tina.accessToken,
      });
      await own.createPersonalToken({ body: { name: 'her own' } });
      const second = await create('phone');
      const rows = async () => (await api.listAudit({ query: { object: tina.userId } })).entries;
      const by = { who: { kind: 'operator', name: userInfo().username }, reason: null, address: null };
      const object = { id: tina.userId, name: 'tina@souk.test', serverId: null, userId: tina.userId, offerId: null };
      const row = (text: string, facts: object[]) => expect.objectContaining({ ...by, object, text, facts });
      const tokenRow = (name: string, { lines }: { lines: string[] }) =>
        row('Created an access token', [
          { name: 'name', text: name },
          { name: 'prefix', text: lines[0]?.slice(0, 13) },
        ]);
      const expected = [
        tokenRow('phone', second),
        // her address would outlive her account here
        tokenRow('laptop of [erased]', made),
        row('Created a user', []),
      ];
      expect(await rows()).toEqual(expected);
      expect((await api.listAudit({ query: { object: 'tina@souk', group: 'users' } })).entries).toEqual(expected);
      const faulty = await run('audit', '--from', '2026-01-03', '--to', '2026-01-02');
      expect(faulty.lines.join(' ')).toContain('from: must not be later than `to`');
      const tooMany = await run('audit', '--limit', '500');
      expect(tooMany.lines.join(' ')).toContain('limit: must be at most 200');
      const printed = await run('audit', '--object', 'tina@souk.test');
      expect(printed.lines.map((line) => line.replace(/^\S+Z {2}/, ''))).toEqual([
        `operator ${userInfo().username}: Created an access token: tina@souk.test`,
        `    name: phone; prefix: ${second.lines[0]?.slice(0, 13)}`,
        `operator ${userInfo().username}: Created an access token: tina@souk.test`,
        `    name: laptop of [erased]; prefix: ${token.slice(0, 13)}`,
        `operator ${userInfo().username}: Created a user: tina@souk.test`,
      ]);
      // neither is stored without its row
      await app.db.query('alter table audit_log rename to audit_log_elsewhere');
      const refused = [await create('third'), await run('token', 'create', '--email', 'new@souk.test', '--name', 'x')];
      await bringBack();
      expect(refused.map(({ code }) => code)).toEqual([1, 1]);
      expect(await app.identity.users.find('new@souk.test')).toEqual([]);
      const { rows: kept } = await app.db.query('select name from personal_tokens where user_id = $1 order by name', [
        tina.userId,
      ]);
      expect(kept).toEqual([{ name: 'her own' }, { name: 'laptop of TINA@souk.test' }, { name: 'phone' }]);
    } finally {
      await operator.stop();
    }
  });

  test('souk audit prints the same rows with the same filters', async () => {
    const operator = await startOperator();
    try {
      expect(await run('audit', '--object', 'ann@souk.test', '--to', '2026-01-31')).toEqual({
        code: 0,
        lines: [
          '2026-01-05T10:00:00.000Z  operator root: Set credits: ann@souk.test',
          '    credits: 6 -> 10; demo payments: yes',
          '2026-01-04T10:00:00.000Z  admin@souk.test: Deactivated a user: ann@souk.test',
          '    end now: yes',
          '    Reason: sent =spam',
        ],
      });
      const { lines } = await run('audit', '--to', '2026-01-31', '--limit', '1', '--json');
      expect(JSON.parse(lines[0] ?? '')).toEqual((await api.listAudit({ query: { ...old, limit: 1 } })).entries[0]);
      expect(lines[1]).toBe('There are more rows: narrow them with --from and --to, or export them in the browser.');
      expect((await run('audit', '--group', 'weather')).code).toBe(64);
      expect((await run('audit', '--from', 'yesterday')).code).toBe(64);
    } finally {
      await operator.stop();
    }
  });
};

describeOnEmbedded('the audit log', migrations, testsOf(true));
describeOnPostgres('the audit log', migrations, testsOf(false));
