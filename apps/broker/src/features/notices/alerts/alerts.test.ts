import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isDown } from '../../catalogue/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { describeOnDatabases, describeOnEmbedded } from '#testing/databases/databases.ts';
import { startMailServer } from '#testing/servers/mail-server.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';

const hourMs = 60 * 60_000;
const secret = 'a-secret-of-the-receiver';

/** Starts the operator's receiver of alerts. */
async function startReceiver() {
  const received: { body: string; signature: string }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ body, signature: String(request.headers['souk-signature']) });
      return response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hooks/canary-path`,
    received,
    answer: (next: number) => (status = next),
    stop: () => server.close(),
  };
}

describeOnDatabases('an alert', migrations, (open) => {
  test('a cause is reported once to the signed webhook, again after a day, and at most once an hour', async () => {
    const receiver = await startReceiver();
    let ahead = 0;
    const app = await startTestApp({
      db: await open(),
      clock: { now: () => Date.now() + ahead },
      env: {
        ALERT_WEBHOOK_URL: receiver.url,
        ALERT_WEBHOOK_SECRET: secret,
        UPSTREAM_ALLOW_ADDRESSES: receiver.address,
      },
    });
    try {
      await app.db.query(
        `update pgboss.job set start_after = now() + interval '1 day' where name in ('notices', 'alerts')`,
      );
      const full = { cause: 'full', text: 'The disk of <Souk> is full.', path: '/admin?tab=system' };
      const told = await Promise.all(Array.from({ length: 4 }, () => app.notices.recordAlerts([full])));
      expect(told.toSorted()).toEqual([0, 0, 0, 1]);
      receiver.answer(503);
      await app.notices.sendDue();
      expect((await app.system.read()).warnings).toContainEqual({
        id: 'e-mails',
        text: '1 notice could not be sent and will be tried again: the alert webhook answered 503.',
      });
      receiver.answer(204);
      ahead += 2 * 60_000;
      await app.notices.sendDue();
      expect(receiver.received).toHaveLength(2);
      const [first, again] = receiver.received;
      const { id, text: words, ...told2 } = JSON.parse(again?.body ?? '');
      expect(JSON.parse(first?.body ?? '').id).toBe(id);
      expect(words).toBe(`Souk: The disk of &lt;Souk&gt; is full. ${app.publicUrl}/admin?tab=system`);
      expect(told2).toMatchObject({ cause: 'full', shop: app.publicUrl, url: `${app.publicUrl}/admin?tab=system` });
      const [, at = '', signed] = /^t=(\d+),v1=(\w+)$/.exec(again?.signature ?? '') ?? [];
      expect(signed).toBe(createHmac('sha256', secret).update(`${at}.${again?.body}`).digest('hex'));
      // it goes and comes back
      expect(await app.notices.recordAlerts([])).toBe(0);
      expect(await app.notices.recordAlerts([full])).toBe(0);
      await app.notices.recordAlerts([]);
      ahead += hourMs;
      expect(await app.notices.recordAlerts([full])).toBe(1);
      // it lasts
      ahead += 23 * hourMs;
      expect(await app.notices.recordAlerts([full])).toBe(0);
      ahead += hourMs;
      expect(await app.notices.recordAlerts([full])).toBe(1);
      expect(app.logged()).not.toContain('canary-path');
    } finally {
      await app.stop();
      receiver.stop();
    }
  });
});

describeOnEmbedded('alerts', migrations, (open) => {
  test('without a webhook, a server that is down for five minutes is reported to administrators by e-mail', async () => {
    const [mail, fixture] = [await startMailServer(), await startHttpFixture('both')];
    let ahead = 0;
    const app = await startTestApp({
      db: await open(),
      clock: { now: () => Date.now() + ahead },
      allowAddresses: [fixture.address],
      env: { SMTP_URL: mail.url, ADMIN_EMAILS: 'ann@souk.test,bob@souk.test' },
    });
    try {
      await app.db.query(
        `update pgboss.job set start_after = now() + interval '1 day' where name in ('notices', 'alerts')`,
      );
      const connection = { type: 'http', url: fixture.url };
      await deployManifest(app, { id: 'top', name: 'Summit', connection, billing: { tier: 'T0' } });
      await fixture.close();
      await waitUntil('it is down', () => app.catalogue.snapshot().servers.some(isDown));
      await app.checkAlerts();
      await app.notices.sendDue();
      const about = () => mail.received.filter(({ source }) => source.includes('Summit has been down'));
      expect(about()).toEqual([]);
      ahead += 5 * 60_000;
      await app.checkAlerts();
      await app.checkAlerts();
      await app.notices.sendDue();
      expect(about()).toMatchObject([{ to: ['ann@souk.test', 'bob@souk.test'] }]);
      expect(about()[0]?.text).toContain(`${app.publicUrl}/admin?tab=manifests&id=top`);
      expect(about()[0]?.source).not.toContain('bob@');
    } finally {
      await app.stop();
      await mail.stop();
    }
  });

  test('requests to the webhook follow the rules for external addresses', async () => {
    const receiver = await startReceiver();
    const app = await startTestApp({ db: await open(), env: { ALERT_WEBHOOK_URL: receiver.url } });
    try {
      await app.notices.recordAlerts([{ cause: 'full', text: 'Full.', path: '/admin' }]);
      await waitUntil('it was tried', async () => {
        await app.notices.sendDue();
        return (await app.notices.figures()).failing > 0;
      });
      expect((await app.notices.figures()).lastError).toBe(
        'the address of the alert webhook is not allowed: see UPSTREAM_ALLOW_ADDRESSES',
      );
      expect(receiver.received).toEqual([]);
    } finally {
      await app.stop();
      receiver.stop();
    }
  });
});
