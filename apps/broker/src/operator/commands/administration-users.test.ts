import { getUserProfile } from '@souk/contract/identity.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limitElapsed } from '#testing/figures/limits.ts';
import { dumpDatabase } from '#testing/databases/dump-database.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { chooseAccount } from './choose-account.ts';
import { userCommands } from './user-commands.ts';
import { billingCommands } from './billing-commands.ts';

const minuteMs = 60_000;
let started: Administration | undefined;
let shop: Administration['shop'];
let admin: Administration['admin'];
let send: Administration['send'];
let audits: Administration['audits'];
let administrator: Administration['administrator'];

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, admin, send, audits, administrator } = started);
});
beforeEach(() => {
  shop.ahead.ms = 0;
});
afterAll(() => started?.stop());

type Arrived = { email: string; id: string; accessToken: string; browser: ScriptedBrowser };
async function arrive(email: string, name?: string): Promise<Arrived> {
  const browser = new ScriptedBrowser(shop.publicUrl);
  const { accessToken } = await browser.signInWeb({ email });
  const api = createClient([getUserProfile], { baseUrl: shop.publicUrl, fetch, token: async () => accessToken });
  const { id } = await api.getUserProfile();
  if (name !== undefined) await shop.db.query('update users set display_name = $2 where id = $1', [id, name]);
  return { email, id, accessToken, browser };
}

const search = async (text: string, more: object = {}) => {
  const { users, pagination } = await admin.listUsers({ query: { search: text, limit: 100, ...more } });
  expect(users).toHaveLength(pagination.total);
  return users.map(({ email }) => email).toSorted();
};

test('all users are searched by the beginning of an address or of a word of the name, ignoring case', async () => {
  await arrive('zoe.lang@search.test', 'Zoë  Maria Lang-Weiss');
  await arrive('zorro@search.test', 'Diego de la Vega');
  const per = await arrive('per@search.test', "Per O'Neil");
  // the stand-in accepts no such address; a company's provider may
  await shop.db.query(`update users set email = 'per%cent_sign@search.test' where id = $1`, [per.id]);
  const zoe = 'zoe.lang@search.test';
  expect(await search('ZOE.l')).toEqual([zoe]);
  expect(await search('zo')).toEqual([zoe, 'zorro@search.test']);
  for (const text of ['mar', 'MARIA lang', 'lang-w', 'weiss', ' zoë maria', 'zoë  maria  l']) {
    expect(await search(text), text).toEqual([zoe]);
  }
  for (const text of ["o'neil", 'neil', 'per%', 'per%cent_s']) {
    expect(await search(text), text).toEqual(['per%cent_sign@search.test']);
  }
  for (const text of ['aria', 'lang@', 'search.test', 'per_', 'z%', '%', '_', '\\', "'", '%%%', 'p%c', 'ego'])
    expect(await search(text), text).toEqual([]);
  expect(await search('de la')).toEqual(['zorro@search.test']);
  // a name that changed with the next sign-in, and a deleted account, are no longer found under their old names
  await arrive('zorro@search.test', 'Alejandro');
  expect(await search('vega')).toEqual([]);
  expect(await search('aleja')).toEqual(['zorro@search.test']);
  const gone = await arrive('zappa@search.test');
  await send(`DELETE /api/users/${gone.id}/account`, gone.accessToken, { confirm: gone.email });
  expect(await search('zappa')).toEqual([]);
});

test('a hostile search costs little and breaks nothing', async () => {
  for (const text of [
    '%'.repeat(200),
    '\\'.repeat(200),
    'a%_'.repeat(66),
    '\u{10FFFF}'.repeat(100),
    "'; drop table users; --",
  ]) {
    await limitElapsed(1_000, async () => expect(await search(text)).toEqual([]));
  }
  for (const query of [
    'search=%00',
    `search=${'a'.repeat(201)}`,
    'role=root',
    'active=yes',
    `plan=${'p'.repeat(101)}`,
  ]) {
    expect(await send(`GET /admin/users?${query}`, administrator.accessToken), query).toMatchObject({ status: 400 });
  }
  // an extremely long name is found by its first words
  await arrive('long@search.test', `${'Endless '.repeat(10_000)}Tail`);
  expect(await search('endless')).toEqual(['long@search.test']);
  expect(await search('tail')).toEqual([]);
});

test('[USR-9] [USR-10] filters of role, activity and plan combine with the search; the totals count all users', async () => {
  const names = ['fil-ann', 'fil-bob', 'fil-cleo'];
  const [ann, bob, cleo] = await Promise.all(names.map((name) => arrive(`${name}@filter.test`)));
  if (!ann || !bob || !cleo) throw new Error('nobody');
  await admin.addUserSubscription({ params: { id: ann.id }, body: { type: 'subscription', mcpId: 'basic' } });
  await admin.addUserSubscription({ params: { id: ann.id }, body: { type: 'subscription', mcpId: 'pro' } });
  await admin.addUserSubscription({ params: { id: bob.id }, body: { type: 'subscription', mcpId: 'basic' } });
  await admin.deactivateUser({ params: { id: cleo.id }, body: {} });
  const mail = (...people: { email: string }[]) => people.map(({ email }) => email).toSorted();
  expect(await search('fil-', { plan: 'basic' })).toEqual(mail(ann, bob));
  expect(await search('fil-', { plan: 'pro' })).toEqual(mail(ann));
  expect(await search('fil-', { plan: 'free' })).toEqual(mail(cleo));
  expect(await search('fil-', { active: 'false' })).toEqual(mail(cleo));
  expect(await search('fil-', { active: 'true', plan: 'basic' })).toEqual(mail(ann, bob));
  expect(await search('fil-', { role: 'admin' })).toEqual([]);
  expect(await search('fil-', { role: 'user', active: 'true', plan: 'pro' })).toEqual(mail(ann));

  const list = async (query: object) => (await admin.listUsers({ query: { limit: 100, ...query } })) as ListAnswer;
  const everyone = await list({});
  const planOf = (id: string) => everyone.users.find((user) => user.id === id)?.planId;
  expect([ann, bob, cleo].map(({ id }) => planOf(id))).toEqual(['pro', 'basic', 'free']);
  for (const query of [
    { role: 'admin' },
    { role: 'user' },
    { active: 'true' },
    { active: 'false' },
    { plan: 'basic' },
    { plan: 'free' },
    { role: 'user', plan: 'free' },
    { role: 'user', active: 'true', plan: 'free' },
  ]) {
    const wanted = everyone.users.filter(
      (user) =>
        (!('role' in query) || user.role === query.role) &&
        (!('active' in query) || String(user.isActive) === query.active) &&
        (!('plan' in query) || user.planId === query.plan || (query.plan === 'basic' && user.planId === 'pro')),
    );
    const { users, pagination, all, active } = await list(query);
    expect(
      users.map(({ id }) => id),
      JSON.stringify(query),
    ).toEqual(wanted.map(({ id }) => id));
    expect(pagination.total, JSON.stringify(query)).toBe(wanted.length);
    expect({ all, active }).toEqual({ all: everyone.users.length, active: everyone.active });
  }
});
type ListAnswer = Awaited<ReturnType<Administration['admin']['listUsers']>>;

test('the counts that triggers maintain match the table, before and after the reaper adds them up', async () => {
  const counted = async () => {
    const { all, active } = await admin.listUsers({ query: {} });
    const { rows } = await shop.db.query(
      `select count(*)::int as all, count(*) filter (where is_active)::int as active from users where deleted_at is null`,
    );
    expect(rows).toEqual([{ all, active }]);
  };
  const people = await Promise.all(['c-1', 'c-2', 'c-3'].map((name) => arrive(`${name}@count.test`)));
  await counted();
  await admin.deactivateUser({ params: { id: people[0]?.id ?? '' }, body: {} });
  await admin.activateUser({ params: { id: people[0]?.id ?? '' }, body: {} });
  await admin.deactivateUser({ params: { id: people[1]?.id ?? '' }, body: {} });
  await counted();
  const erased = people[1];
  await admin.eraseUser({ params: { id: erased?.id ?? '' }, body: { confirm: erased?.email ?? '' } });
  await counted();
  await Promise.all([shop.identity.reap(), shop.identity.reap(), arrive('c-4@count.test')]);
  await counted();
  expect((await shop.db.query('select 1 from user_counts')).rows.length).toBeLessThan(3);
});

test('an irreversible action requires a sign-in of the last 15 minutes, and a token renewal is not one', async () => {
  const chief = new ScriptedBrowser(shop.publicUrl);
  const { accessToken } = await chief.signInWeb({ email: 'admin@souk.test' });
  const ann = await arrive('recent@souk.test');
  const deactivate = (bearer: string) => send(`POST /admin/users/${ann.id}/deactivate`, bearer, {});
  const stale = {
    status: 403,
    code: 'sign_in_again',
    message: 'Sign in again to do this: your last sign-in was more than 15 minutes ago.',
  };
  shop.ahead.ms = 15 * minuteMs + 2_000;
  const renewed = await chief.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' });
  const { accessToken: silent }: { accessToken: string } = JSON.parse(await renewed.text());
  const refused = async (bearer: string) => {
    expect(await deactivate(bearer)).toMatchObject(stale);
    expect(await send(`POST /admin/users/${ann.id}/erase`, bearer, { confirm: ann.email })).toMatchObject(stale);
  };
  await refused(accessToken);
  await refused(silent);
  // activating a user needs none
  expect(await send(`POST /admin/users/${ann.id}/activate`, silent, {})).toMatchObject({ result: 'unchanged' });
  // nor is a page that opens without a question in the signed-in browser
  await refused((await chief.signInWeb()).accessToken);

  const again = await signInAgain(chief, administrator.userId, 'admin@souk.test');
  expect(again.left?.pathname).toBe('/auth/success');
  const ticket = again.left?.searchParams.get('token') ?? '';
  const swapped = await chief.postForm('/oauth/token', {
    grant_type: 'urn:souk:grant:handoff',
    client_id: 'frontend',
    token: ticket,
  });
  const { accessToken: fresh }: { accessToken: string } = JSON.parse(await swapped.text());
  expect(await deactivate(fresh)).toMatchObject({ status: 200, result: 'deactivated' });
});

/** Follows the sign-in window of the web app. */
async function signInAgain(browser: ScriptedBrowser, userId: string, email: string) {
  const step = await browser.open(`/auth/google?return_to=/auth/success&again_as=${userId}`);
  if ('left' in step) throw new Error('the account was not asked for');
  const answer = await browser.submit(step.page, { email });
  return 'left' in answer ? { left: answer.left } : { page: answer.page };
}

test('the user who signs in again must be the same: another account is refused with a reason, and changes nothing', async () => {
  const chief = new ScriptedBrowser(shop.publicUrl);
  const { accessToken } = await chief.signInWeb({ email: 'admin@souk.test' });
  const refused = await signInAgain(chief, administrator.userId, 'someone.else@souk.test');
  expect(refused.page?.status).toBe(403);
  expect(refused.page?.text).toContain(
    'You chose someone.else@souk.test, which is not the account that you are signed in with.',
  );
  expect(await send('GET /admin/users', accessToken)).toMatchObject({ status: 200 });
  const renewed = await chief.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' });
  expect(renewed.status).toBe(200);
});

test('users cannot deactivate or erase themselves, and a wrong id is not found', async () => {
  const own = { status: 400, code: 'own_account', message: 'You cannot do this to your own account.' };
  const me = administrator.userId;
  const { accessToken } = administrator;
  for (const id of [me, me.toUpperCase()]) {
    expect(await send(`POST /admin/users/${id}/deactivate`, accessToken, { confirmAdministrator: true })).toMatchObject(
      own,
    );
    expect(await send(`POST /admin/users/${id}/erase`, accessToken, { confirm: 'admin@souk.test' })).toMatchObject(own);
  }
  for (const id of [crypto.randomUUID(), 'x', '%00']) {
    const status = id === '%00' ? 400 : 404;
    expect(await send(`POST /admin/users/${id}/deactivate`, accessToken, {}), id).toMatchObject({ status });
    expect(await send(`POST /admin/users/${id}/activate`, accessToken, {}), id).toMatchObject({ status });
  }
  expect(await audits(me)).toEqual([]);
});

test('[ADM-15] deactivating and activating leave one row each; an action without a change leaves none', async () => {
  const ann = await arrive('audited@souk.test');
  const params = { id: ann.id };
  const reason = 'a complaint';
  expect(await admin.deactivateUser({ params, body: { reason } })).toMatchObject({ result: 'deactivated' });
  expect(await admin.deactivateUser({ params, body: { reason } })).toMatchObject({ result: 'unchanged' });
  expect(await admin.activateUser({ params, body: {} })).toMatchObject({ result: 'activated' });
  expect(await admin.activateUser({ params, body: {} })).toMatchObject({ result: 'unchanged' });
  const commands = userCommands(shop.identity, { isRunning: true });
  const who = { email: 'AUDITED@souk.test', operator: 'root' };
  expect(await commands['user.deactivate']?.(who)).toEqual({ id: ann.id, result: 'deactivated', ending: [] });
  expect(await commands['user.deactivate']?.(who)).toMatchObject({ result: 'unchanged' });
  const actor_id = administrator.userId;
  expect(await audits(ann.id)).toEqual([
    { actor_id, action: 'user.deactivated', reason, details: { endNow: false } },
    { actor_id, action: 'user.activated', reason: null, details: {} },
    {
      actor_id: null,
      action: 'user.deactivated',
      reason: 'by command',
      details: { endNow: false, via: 'command', operator: 'root' },
    },
  ]);
});

test('plans of a deactivated user end immediately if the administrator says so', async () => {
  const person = await started?.newPerson();
  if (!person) throw new Error('nobody');
  const params = { id: person.userId };
  await person.subscribe('basic');
  const { id, currentPeriodEnd } = (await person.plan()) ?? {};
  const answer = await admin.deactivateUser({ params, body: {} });
  expect(answer).toMatchObject({ ending: [{ id, name: 'Basic plan', endsAt: currentPeriodEnd }] });
  expect((await admin.getUserBilling({ params: { userId: person.userId } })).billing.subscriptions).toHaveLength(1);
  // again, with the end now
  const now = await admin.deactivateUser({ params, body: { endNow: true } });
  expect(now).toMatchObject({ result: 'unchanged', ending: [{ name: 'Basic plan' }] });
  expect((await admin.getUserBilling({ params: { userId: person.userId } })).billing.subscriptions).toEqual([]);
});

test('an erased user leaves no address, not even in reasons of administrators; everything else in these rows stays', async () => {
  const ann = await arrive('Erased.Person@souk.test');
  const other = await arrive('kept@souk.test');
  const address = 'erased.person@souk.test';
  const texts = [
    `Wrote from ${address}.`,
    `<ERASED.Person@Souk.test> and (${address}), "${address}"`,
    `mailto:${address}?subject=x and ${address}, too`,
    `...${address}...`,
  ];
  const others = `not.${address} x${address} ${address}.au ${address}s`;
  for (const reason of [...texts, others]) {
    await admin.setUserCredits({ params: { id: other.id }, body: { credits: texts.length + reason.length, reason } });
  }
  await admin.deactivateUser({ params: { id: ann.id }, body: { reason: `asked by ${address}` } });
  const before = await rowsWithoutReason();
  const wrong = await send(`POST /admin/users/${ann.id}/erase`, administrator.accessToken, {
    confirm: 'kept@souk.test',
  });
  expect(wrong).toMatchObject({ status: 400, code: 'account_not_confirmed' });

  const body = { confirm: ` ${address.toUpperCase()} `, reason: `they wrote from ${address}` };
  await admin.eraseUser({ params: { id: ann.id }, body });

  const dump = (await dumpDatabase(shop.db)).split('\n').filter((row) => /erased\.person/i.test(row));
  // other addresses that only contain it stay
  expect(dump.every((row) => row.includes('not.erased.person'))).toBe(true);
  expect(dump).toHaveLength(2);
  expect((await audits(ann.id)).map(({ action, reason }) => [action, reason])).toEqual([
    ['user.deactivated', 'asked by [erased]'],
    ['user.erased', 'they wrote from [erased]'],
  ]);
  expect((await audits(other.id)).map(({ reason }) => reason)).toEqual([
    'Wrote from [erased].',
    '<[erased]> and ([erased]), "[erased]"',
    'mailto:[erased]?subject=x and [erased], too',
    '...[erased]...',
    others,
  ]);
  expect((await rowsWithoutReason()).slice(0, before.length)).toEqual(before);
  expect(await send(`POST /admin/users/${ann.id}/erase`, administrator.accessToken, body)).toMatchObject({
    status: 404,
  });

  async function rowsWithoutReason() {
    const audit = `select to_jsonb(a) - 'reason' as row from audit_log a order by id`;
    const ledger = `select to_jsonb(l) - 'reason' as row from ledger_entries l order by id`;
    return [...(await shop.db.query(ledger)).rows, ...(await shop.db.query(audit)).rows];
  }
});

test("a user's own deletion does the same", async () => {
  const ann = await arrive('goes.herself@souk.test');
  await admin.setUserCredits({ params: { id: ann.id }, body: { credits: 5, reason: 'for goes.herself@souk.test' } });
  await send(`DELETE /api/users/${ann.id}/account`, ann.accessToken, { confirm: ann.email });
  expect((await audits(ann.id)).map(({ action, reason }) => [action, reason])).toEqual([
    ['credits.set', 'for [erased]'],
    ['user.deleted-own-account', null],
  ]);
  expect(await dumpDatabase(shop.db)).not.toContain('goes.herself');
});

test.each(['audit_log', 'ledger_entries'])('%s accepts no other change, from any sender', async (table) => {
  const refused = async (statement: string, address = 'kept@souk.test') => {
    const change = shop.db.transaction(async (query) => {
      await query(`select set_config('souk.erased_address', $1, true)`, [address]);
      await query(statement);
    });
    await expect(change, statement).rejects.toThrow(/append-only/);
  };
  const ann = await arrive(`append.${table}@souk.test`);
  await admin.setUserCredits({ params: { id: ann.id }, body: { credits: 5, reason: 'of kept@souk.test' } });
  const own = `where reason = 'of kept@souk.test'`;
  await refused(`update ${table} set reason = 'x' ${own}`);
  await refused(`update ${table} set reason = null ${own}`);
  await refused(`update ${table} set reason = 'of [erased]', at = now() ${own}`);
  await refused(`update ${table} set at = now() ${own}`, '');
  await refused(`update ${table} set reason = 'of [erased]' ${own}`, '');
  await refused(`update ${table} set reason = 'of [erased]' ${own}`, 'another@souk.test');
  await refused(`delete from ${table}`);
  await refused(`truncate ${table}`);
});

test('an address with two accounts at one provider is reported, and --id chooses, for each command', async () => {
  const first = await arrive('twice@souk.test');
  const second = await arrive('twice.before@souk.test');
  // the address passed from one user to another at the provider
  await shop.db.query('update users set email = $2 where id = $1', [second.id, first.email]);
  const who = { email: first.email, operator: 'root' };
  const users = userCommands(shop.identity, { isRunning: true });
  const credits = billingCommands(shop);
  const asked = [
    users['user.deactivate']?.(who),
    users['user.erase']?.({ ...who, confirm: first.email }),
    credits['credits.set']?.({ ...who, credits: 3 }),
  ];
  for (const answer of asked) {
    await expect(answer).rejects.toThrow(
      new RegExp(
        `^2 users have the address twice@souk.test. Choose one with --id:\n {2}${first.id} {2}dev, since .*\n {2}${second.id} `,
      ),
    );
  }
  await credits['credits.set']?.({ ...who, id: second.id, credits: 3 });
  expect((await shop.billing.credits(second.id)).balance).toBe(3);
  expect(await users['user.erase']?.({ ...who, id: first.id, confirm: first.email })).toMatchObject({ id: first.id });
  expect(await chooseAccount(shop.identity.users, { email: first.email })).toBe(second.id);
  const foreign = chooseAccount(shop.identity.users, { email: first.email, id: administrator.userId });
  await expect(foreign).rejects.toThrow('No user with the id');
  const withoutBroker = userCommands(shop.identity, { isRunning: false });
  await expect(withoutBroker['user.erase']?.({ ...who, confirm: first.email })).rejects.toThrow(
    'Souk does not run here',
  );
});
