import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCreditPackages, listPlans } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '#platform/config.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { paths } from '../../../../paths.ts';
import { offersEditedHere } from './offers-edited-here.ts';
import type { Offers } from './read-offers.ts';

let folder: string;
let file: string;
let first: TestApp;
const env = { MASTER_KEY: randomBytes(32).toString('base64url') };
const by = { operator: 'root', reason: 'a test' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'souk-edited-'));
  file = join(folder, 'offers.json');
  await writeOffers((offers) => offers);
  first = await startTestApp({ env, paths: { offers: file } });
  await change('pro', { type: 'edit', fields: { ...(await fieldsOf('pro')), amount: 2100 } });
});
afterAll(async () => {
  await first?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function writeOffers(changed: (offers: Offers) => Offers): Promise<void> {
  await writeFile(file, JSON.stringify(changed(JSON.parse(await readFile(paths.offers, 'utf8')) as Offers)));
}

const fieldsOf = async (id: string): Promise<OfferFields> => (await first.billing.offerEditing.show(id)).offer.fields;
type Change = Parameters<TestApp['billing']['offerEditing']['change']>[1]['change'];
const change = (id: string, wanted: Change) =>
  first.billing.offerEditing.change(id, { change: wanted, revision: undefined }, by, false);

/** Starts the shop again, and returns what it logs and sells. */
async function startAgain() {
  const next = await startTestApp({ env, paths: { offers: file }, db: { ...first.db, close: async () => {} } });
  try {
    const api = createClient([listPlans, listCreditPackages] as const, { baseUrl: next.publicUrl, fetch });
    const { plans } = await api.listPlans();
    const { packages } = await api.listCreditPackages();
    const logged = next
      .logged()
      .split('\n')
      .filter((line) => line.includes('offers.json changed'))
      .map((line) => String(Object(JSON.parse(line)).msg));
    return {
      logged,
      plans: plans.map(({ planId, amount }) => `${planId} ${amount}`),
      packages: packages.map(({ packageId }) => packageId),
    };
  } finally {
    await next.stop();
  }
}

// each test builds on the edits of the one before
describe('offers that were edited here', { shuffle: false }, () => {
  test('a start with a changed file updates offers that were not edited here, keeps those that were, and says so once', async () => {
    await writeOffers(({ plans, packages }) => ({
      plans: plans.map((plan) => (plan.planId === 'free' ? plan : { ...plan, amount: plan.amount + 300 })),
      packages,
    }));
    const day = new Date().toISOString().slice(0, 10);
    const started = await startAgain();
    expect(started.plans).toEqual(['free 0', 'basic 800', 'pro 2100', 'enterprise 10200']);
    expect(started.logged).toEqual([
      `offers.json changed Pro (Price: $19 to $22), and Pro was edited in the administration on ${day}: ` +
        'the file no longer changes it. "souk offers take-file pro" takes the file\'s version',
    ]);
    expect((await startAgain()).logged).toEqual([]);
    const edited = await offersEditedHere(first.db.query);
    expect(edited.map(({ editedAt, ...one }) => ({ ...one, on: editedAt.toISOString().slice(0, 10) }))).toEqual([
      { kind: 'plan', offerId: 'pro', name: 'Pro', on: day, editedBy: undefined, isInFile: true },
    ]);
  });

  test('an edited offer that leaves the file is still sold, an archived one does not come back with it, and one that was added here stays', async () => {
    await change('credits-500', { type: 'archive' });
    await first.billing.offerEditing.create(
      'extra',
      { kind: 'package', name: 'Extra', amount: 300, currency: 'USD', popular: false, credits: 250, bonus: 0 },
      by,
      false,
    );
    await writeOffers(({ plans, packages }) => ({ plans: plans.filter(({ planId }) => planId !== 'pro'), packages }));
    const started = await startAgain();
    expect(started.plans).toEqual(['free 0', 'basic 500', 'pro 2100', 'enterprise 9900']);
    expect(started.packages).toEqual(['credits-2000', 'credits-10000', 'extra']);
    expect(started.logged).toEqual([expect.stringContaining('offers.json changed Pro (offers.json no longer has it)')]);
    await writeOffers((offers) => offers);
    await startAgain();
  });

  test("taking the file's version again is its own action, and from then on each start reads the file", async () => {
    const { effects } = await change('pro', { type: 'take-file' });
    expect(effects).toEqual([
      'New subscribers pay $19/month from now on.',
      'offers.json changes Pro again, at each start.',
    ]);
    await writeOffers(({ plans, packages }) => ({
      plans: plans.map((plan) => (plan.planId === 'pro' ? { ...plan, amount: 2500 } : plan)),
      packages,
    }));
    const started = await startAgain();
    expect(started.plans).toContain('pro 2500');
    expect(started.logged).toEqual([]);
  });

  test('a start fails if the file has another currency than the offers edited here, and says what to do', async () => {
    await change('basic', { type: 'edit', fields: { ...(await fieldsOf('basic')), name: 'Basis' } });
    const inEuros = <Offer extends { currency: string }>(offers: readonly Offer[]) =>
      offers.map((offer) => ({ ...offer, currency: 'EUR' }));
    await writeOffers(({ plans, packages }) => ({ plans: inEuros(plans), packages: inEuros(packages) }));
    await expect(startAgain()).rejects.toThrow(ConfigError);
    await expect(startAgain()).rejects.toThrow('"souk offers take-file basic"');
  });
});
