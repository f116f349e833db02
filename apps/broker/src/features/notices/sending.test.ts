import { randomUUID } from 'node:crypto';
import { getNotices, setNotice } from '@souk/contract/notices.ts';
import { deleteMyAccount } from '@souk/contract/account.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { queueNotice } from '#platform/notices/outbox.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { dumpDatabase } from '#testing/databases/dump-database.ts';
import { startMailServer, type MailServer } from '#testing/servers/mail-server.ts';
import { newBuyer } from '../billing/shop/checkout/testing/shop.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../migrations.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describeOnDatabases('e-mails', migrations, (open) => {
  let mail: MailServer;
  let app: TestApp;
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  beforeAll(async () => {
    mail = await startMailServer();
    app = await startTestApp({ db: await open(), clock, env: { SMTP_URL: mail.url } });
    // the tests run it themselves
    await app.db.query(`update pgboss.job set start_after = now() + interval '1 day' where name = 'notices'`);
  });
  afterEach(() => {
    mail.refuse = undefined;
    mail.beforeAnswer = async () => {};
    mail.received.length = 0;
  });
  afterAll(async () => {
    await app?.stop();
    await mail?.stop();
  });

  async function newPerson() {
    const { email, userId, accessToken } = await newBuyer(app);
    const api = createClient([getNotices, setNotice, deleteMyAccount], {
      baseUrl: app.publicUrl,
      fetch,
      token: async () => accessToken,
    });
    return {
      email,
      userId,
      api,
      received: () => mail.received.filter(({ to }) => to.includes(email)),
      tell: (left: number, event: string = randomUUID()) =>
        queueNotice(
          app.db.query,
          { kind: 'credits_low', userId, event, facts: { left, granted: 1000 } },
          new Date(clock.now()),
        ),
      async outcomes() {
        const { rows } = await app.db.query<{ outcome: string | null; attempts: number; error: string | null }>(
          'select outcome, attempts, error from notices where user_id = $1 order by created_at, key',
          [userId],
        );
        return rows;
      },
    };
  }

  test('each notice is sent once, by however many brokers concurrently, and however often its event is read', async () => {
    const ann = await newPerson();
    await Promise.all(
      Array.from({ length: 15 }, (_, left) =>
        Promise.all([ann.tell(left, `${ann.userId}:${left}`), ann.tell(left, `${ann.userId}:${left}`)]),
      ),
    );
    await Promise.all(Array.from({ length: 4 }, () => app.notices.sendDue()));
    await app.notices.sendDue();
    const subjects = ann.received().map(({ source }) => /^Subject: (.*)\r$/m.exec(source)?.[1]);
    expect(subjects.toSorted()).toEqual(
      Array.from({ length: 15 }, (_, left) => `You have ${left} credit${left === 1 ? '' : 's'} left`).toSorted(),
    );
  });

  test('if a broker is killed while it sends a notice, another one sends it, under the same Message-ID', async () => {
    const ann = await newPerson();
    await ann.tell(7);
    const [hangs, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    mail.beforeAnswer = () => {
      arrived.resolve();
      return hangs.promise;
    };
    const killed = app.notices.sendDue();
    await arrived.promise;
    mail.beforeAnswer = async () => {};
    expect(await app.notices.sendDue()).toBe(0);
    ahead += 4 * minuteMs;
    expect(await app.notices.sendDue()).toBe(1);
    hangs.resolve();
    await killed;
    expect(await app.notices.sendDue()).toBe(0);
    const ids = ann.received().map(({ source }) => /^Message-ID: (.*)\r$/m.exec(source)?.[1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await ann.outcomes()).toEqual([{ outcome: 'sent', attempts: 2, error: null }]);
  });

  test('an e-mail that the mail server refuses is retried at growing intervals, and abandoned after three days, with a reason that omits the address', async () => {
    const ann = await newPerson();
    mail.refuse = { code: 451, message: `4.7.1 <${ann.email}>: try again later` };
    await ann.tell(5);
    await app.notices.sendDue();
    expect(await app.notices.sendDue()).toBe(0);
    ahead += minuteMs + 1;
    await app.notices.sendDue();
    ahead += minuteMs + 1;
    expect(await app.notices.sendDue()).toBe(0);
    const error = '451 4.7.1 [address] try again later';
    expect(await ann.outcomes()).toEqual([{ outcome: null, attempts: 2, error }]);
    expect(await app.notices.figures()).toMatchObject({ waiting: 1, failing: 1, lastError: error });
    ahead += 3 * dayMs;
    // counts the last seven days
    const { givenUp } = await app.notices.figures();
    // one that would be accepted now is outdated, for example after the restore of a backup
    mail.refuse = undefined;
    await app.notices.sendDue();
    expect(ann.received()).toEqual([]);
    expect(await ann.outcomes()).toEqual([{ outcome: 'given_up', attempts: 3, error }]);
    expect(await app.notices.figures()).toMatchObject({ waiting: 0, failing: 0, givenUp: givenUp + 1 });
    expect(app.logged()).toContain('a notice was given up');
    expect(app.logged()).not.toContain(ann.email);
  });

  test('an address that does not exist is abandoned immediately, and e-mails to others do not wait for it', async () => {
    const [ann, bob] = [await newPerson(), await newPerson()];
    mail.refuse = { code: 550, message: '5.1.1 no such mailbox' };
    await ann.tell(5);
    await app.notices.sendDue();
    mail.refuse = undefined;
    await bob.tell(5);
    await app.notices.sendDue();
    expect((await ann.outcomes()).map(({ outcome }) => outcome)).toEqual(['given_up']);
    expect(bob.received()).toHaveLength(1);
  });

  test('a user gets at most 20 e-mails a day, and the others later', async () => {
    const ann = await newPerson();
    for (let left = 0; left < 23; left++) await ann.tell(left);
    await app.notices.sendDue();
    expect(ann.received()).toHaveLength(20);
    ahead += dayMs + 61 * minuteMs;
    await app.notices.sendDue();
    expect(ann.received()).toHaveLength(23);
  });

  test('a deleted account is notified only of its deletion, and its waiting e-mails are removed', async () => {
    const ann = await newPerson();
    await ann.api.setNotice({ params: { userId: ann.userId, kind: 'access_ends' }, body: { isOn: false } });
    await ann.tell(5);
    await ann.api.deleteMyAccount({ params: { userId: ann.userId }, body: { confirm: ann.email } });
    expect(await ann.outcomes()).toEqual([]);
    expect((await app.db.query('select from notice_switches where user_id = $1', [ann.userId])).rows).toEqual([]);
    await ann.tell(6);
    await app.notices.sendDue();
    expect(
      ann.received().map(({ text }) => /^(?:You|An administrator) deleted your account on .* UTC\.$/m.test(text)),
    ).toEqual([true]);
    await app.notices.sendDue();
    expect(ann.received(), 'once').toHaveLength(1);
  });

  test("a deleted user's address is stored only in the row of their last e-mail, until it is sent or abandoned", async () => {
    const [ann, bob] = [await newPerson(), await newPerson()];
    const rowsWith = async ({ email }: typeof ann) =>
      (await dumpDatabase(app.db)).split('\n').filter((row) => row.includes(email)).length;
    mail.refuse = { code: 451, message: '4.7.1 try again later' };
    for (const one of [ann, bob])
      await one.api.deleteMyAccount({ params: { userId: one.userId }, body: { confirm: one.email } });
    await app.notices.sendDue();
    expect([await rowsWith(ann), await rowsWith(bob)], 'while it waits').toEqual([1, 1]);
    mail.refuse = undefined;
    ahead += minuteMs + 1;
    const later = new Date(clock.now() + 2 * dayMs);
    await app.db.query('update notices set next_at = $2 where address = $1', [bob.email, later]);
    await app.notices.sendDue();
    expect([ann.received().length, await rowsWith(ann)], 'sent').toEqual([1, 0]);
    ahead += 4 * dayMs;
    await app.notices.sendDue();
    expect([bob.received().length, await rowsWith(bob)], 'abandoned').toEqual([0, 0]);
    expect(app.logged()).not.toContain(bob.email);
  });

  test('a mail program unsubscribes with one click and without a sign-in, and opening the link changes nothing', async () => {
    const ann = await newPerson();
    await ann.tell(5);
    await app.notices.sendDue();
    const [{ source = '', text = '' } = {}] = ann.received();
    expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    const link = /^List-Unsubscribe:\s+<([^>]*)>\r$/m.exec(source)?.[1] ?? '';
    expect(text).toContain(link);
    const isOn = async () => {
      const { notices } = await ann.api.getNotices({ params: { userId: ann.userId } });
      return notices.filter((one) => !one.isOn).map(({ kind }) => kind);
    };
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('Your purchased credits, or those of your plan, run low'),
    ]);
    expect(await isOn()).toEqual([]);
    const forged = link.replace(ann.userId, randomUUID());
    expect((await fetch(forged, { method: 'POST' })).status).toBe(404);
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    expect((await fetch(link, { method: 'POST', body: form })).status).toBe(200);
    expect(await isOn()).toEqual(['credits_low']);
    await ann.tell(4);
    await app.notices.sendDue();
    expect(ann.received()).toHaveLength(1);
    expect((await ann.outcomes()).map(({ outcome }) => outcome)).toEqual(['sent', 'unwanted']);
    await ann.api.setNotice({ params: { userId: ann.userId, kind: 'credits_low' }, body: { isOn: true } });
    await ann.tell(3);
    await app.notices.sendDue();
    expect(ann.received()).toHaveLength(2);
  });

  test('notices about money or safety cannot be switched off, and names chosen by others stay text on one line', async () => {
    const ann = await newPerson();
    await expect(
      ann.api.setNotice({ params: { userId: ann.userId, kind: 'app_connected' }, body: { isOn: false } }),
    ).rejects.toThrow('isOn: this e-mail is about your money or the safety of your account');
    const app_ = 'Editor\r\nBcc: eve@souk.test\r\n\r\n<img src=x onerror=alert(1)>';
    const facts = { app: app_, at: new Date(clock.now()).toISOString() };
    await queueNotice(
      app.db.query,
      { kind: 'app_connected', userId: ann.userId, event: randomUUID(), facts },
      new Date(clock.now()),
    );
    await app.notices.sendDue();
    const [one, ...more] = mail.received;
    expect(more).toEqual([]);
    expect(one?.to).toEqual([ann.email]);
    expect(one?.source).not.toMatch(/^Bcc:/im);
    expect(one?.source).not.toContain('List-Unsubscribe');
    expect(one?.text).toContain('&#60;img src');
    expect(one?.text.split('text/html')[1]).not.toContain('<img');
    expect(one?.text).toContain('it cannot be switched off');
    expect((await fetch(`${app.publicUrl}/dev-mail`)).status, 'mails are really sent').toBe(404);
  });
});
