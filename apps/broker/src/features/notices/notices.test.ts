import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { startMailServer, type MailServer } from '#testing/servers/mail-server.ts';
import { startShop, type Shop } from '../billing/shop/checkout/testing/shop.ts';
import { refusedPlan } from '../billing/shop/subscriptions/testing/subscriber.ts';
import { migrations } from '../../migrations.ts';

describeOnEmbedded('notices', migrations, (open) => {
  let mail: MailServer;
  let shop: Shop;
  beforeAll(async () => {
    mail = await startMailServer();
    shop = await startShop({ db: await open(), env: { SMTP_URL: mail.url } });
  });
  afterAll(async () => {
    await shop?.stop();
    await mail?.stop();
  });

  test('a failed payment is reported once, by an e-mail that links to where it is paid', async () => {
    const { ann } = await refusedPlan(shop, 'past_due', 75);
    await shop.notices.sendDue();
    const mails = mail.received.filter(({ to }) => to.includes(ann.email));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.source).toContain('Subject: The payment for the Basic plan failed');
    expect(mails[0]?.text).toContain('/dashboard?tab=billing');
    expect(mails[0]?.from).toBe('support@souk.test');
    expect(shop.logged()).not.toContain(`"${ann.email}"`);
  });
});
