import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

// The e-mails that users get, each after the event that it reports. The demo shows the mails on its page.

let started: Administration | undefined;
let shop: Administration['shop'];
let admin: Administration['admin'];
let newPerson: Administration['newPerson'];
const by = { operator: 'root', reason: 'a test' };
const dayMs = 86_400_000;

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, admin, newPerson } = started);
});
beforeEach(() => (shop.ahead.ms = 0));
afterAll(() => started?.stop());

/** Returns the mails to a user as the page shows them, each from its subject to its last line. */
async function mailsTo(email: string): Promise<string[]> {
  const page = await (await fetch(`${shop.publicUrl}/dev-mail`)).text();
  expect(page).toContain('DEMO - no e-mail is sent.');
  const mails = page.split('<article').slice(1);
  return mails.filter((one) => one.includes(`To ${email},`)).map((one) => one.replaceAll(/<[^>]*>/g, ' '));
}
const about = async (email: string, subject: string) => (await mailsTo(email)).filter((one) => one.includes(subject));

test('the end of a canceled plan is announced once, and a plan that renews is not mentioned', async () => {
  const [ann, bob] = [await newPerson(), await newPerson()];
  await ann.subscribe('basic');
  await bob.subscribe('basic');
  const plan = await ann.plan();
  await ann.api.cancelSubscription({ params: { id: plan?.id ?? '' } });
  await shop.billing.notifyAhead();
  expect(await about(ann.email, 'ends on'), 'a month before').toEqual([]);
  const endsIn = Date.parse(plan?.currentPeriodEnd ?? '') - Date.now();
  shop.ahead.ms = endsIn - 4 * dayMs;
  await shop.billing.notifyAhead();
  expect(await about(ann.email, 'ends on'), 'four days before').toEqual([]);
  shop.ahead.ms = endsIn - 2 * dayMs;
  await shop.billing.notifyAhead();
  await shop.billing.notifyAhead();
  expect(await about(ann.email, 'The Basic plan ends on')).toEqual([
    expect.stringContaining('To keep it, resume it before then.'),
  ]);
  expect(await about(bob.email, 'ends on')).toEqual([]);
});

test('an undeployed service, a refund, and the new price of a plan are reported to the affected users', async () => {
  const [ann, bob] = [await newPerson(), await newPerson()];
  await ann.rent('top');
  await bob.subscribe('basic');
  const { id = '' } = (await ann.rental()) ?? {};
  await admin.deleteManifest({ params: { id: 'top' }, body: {} });
  await shop.billing.payments?.subscriptions.endUnoffered();
  expect(await about(ann.email, 'Summit is no longer offered')).toEqual([
    expect.stringContaining('Your rental ends on'),
  ]);
  await shop.administration.remove(ann.userId, id, { ...by, refund: 'prorata' });
  await shop.billing.payments?.refunds.payDue();
  expect(await about(ann.email, 'We refunded $')).toHaveLength(1);

  const { offer } = await shop.billing.offerEditing.show('basic');
  const fields = { ...offer.fields, amount: 900 } as OfferFields;
  await shop.billing.offerEditing.change('basic', { change: { type: 'edit', fields }, revision: undefined }, by, false);
  await shop.billing.prices.synced();
  const moves = shop.billing.payments?.moves;
  if (!moves) throw new Error('nothing is on sale');
  const { movable, to } = await moves.preview('basic');
  await moves.begin('basic', { movable, amount: 900, monthlyCredits: to.monthlyCredits ?? 0 }, by);
  const [told, ...more] = await about(bob.email, 'The price of the Basic plan changes');
  expect(more).toEqual([]);
  expect(told).toContain('the Basic plan costs $9/month');
  expect(told).toContain('Until then you pay $5/month, as now.');
  expect(await about(ann.email, 'price')).toEqual([]);
});

test('a deleted account gets a mail that says who deleted it, and the demo keeps no address for it', async () => {
  const told = async () => {
    const mails = await about('the address of the deleted account', 'Your account was deleted');
    return mails.map((one) => /(?:You|An administrator) deleted your account/.exec(one)?.[0]);
  };
  const [ann, bob] = [await newPerson(), await newPerson()];
  await started?.send(`DELETE /api/users/${ann.userId}/account`, ann.accessToken, { confirm: ann.email });
  expect(await told()).toEqual(['You deleted your account']);
  await admin.eraseUser({ params: { id: bob.userId }, body: { confirm: bob.email } });
  expect((await told()).toSorted()).toEqual(['An administrator deleted your account', 'You deleted your account']);
  expect((await shop.db.query('select from notices where address is not null')).rows).toEqual([]);
});

test('low credits, an expiring token and a newly connected app are reported once each', async () => {
  const ann = await newPerson();
  const { credits } = await ann.buyCredits();
  await shop.billing.notifyAhead();
  expect(await about(ann.email, 'left')).toEqual([]);
  const few = Math.floor(credits / 10);
  await shop.administration.setCredits(ann.userId, { credits: few }, by);
  await shop.billing.notifyAhead();
  await shop.billing.notifyAhead();
  expect(await about(ann.email, `You have ${few} credits left`)).toHaveLength(1);

  await shop.identity.createPersonalToken({ email: ann.email, name: 'laptop' });
  shop.ahead.ms = 84 * dayMs;
  await shop.identity.notifyExpiringTokens();
  await shop.identity.notifyExpiringTokens();
  expect(await about(ann.email, 'The access token laptop expires on')).toHaveLength(1);

  shop.ahead.ms = 0;
  const app = { email: ann.email, clientName: 'Robot <b>', resource: `${shop.publicUrl}/mcp` };
  await new ScriptedBrowser(shop.publicUrl).signInMcpClient(app);
  expect(await about(ann.email, 'Robot &#60;b&#62; was connected to your account')).toHaveLength(1);
  expect(await about(ann.email, 'Chrome')).toEqual([]);
});
