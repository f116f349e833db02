import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { PeoplePlans } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createAccess, type AccessBook } from './entitlement/create-access.ts';
import { noteEnds } from './entitlement/note-ends.ts';
import { readOwnedServer } from './entitlement/read-owned-servers.ts';
import { noteLowCredits } from './credits/accounts/note-low-credits.ts';
import { createPeoplePlans } from './entitlement/people-plans.ts';
import { createTrialAddresses, type TrialAddresses } from './entitlement/trial-addresses.ts';
import type { Charges } from './credits/charges.ts';
import { billingLinks, type BillingLinks } from './billing-links.ts';
import { createCharges } from './credits/create-charges.ts';
import type { EntitlementPolicy } from './entitlement/entitlement.ts';
import { checkLedger } from './credits/accounts/check-ledger.ts';
import { createLedger } from './credits/create-ledger.ts';
import type { Ledger } from './credits/ledger.ts';
import { growingLeases } from './credits/leases/lease-policy.ts';
import type { CreditAccount } from './credits/accounts/read-account.ts';
import { createPayments, type Payments } from './shop/create-payments.ts';
import { noteLedgerCheck } from './shop/needs/note-ledger-check.ts';
import { createOfferStore, type OfferStore } from './shop/offers/offer-store.ts';
import { createShownOffers, type ShownOffers } from './shop/offers/shown-offers.ts';
import { createOfferEditing, type OfferEditing } from './shop/offers/create-offer-editing.ts';
import { sayIgnored } from './shop/offers/say-ignored.ts';
import { currencyOf, readOffers } from './shop/offers/read-offers.ts';
import { createPriceRises, type PriceRises } from './entitlement/price-rises/create-price-rises.ts';
import { createPrices, type Prices } from './shop/prices/create-prices.ts';
import { warnOfCurrencies } from './shop/prices/warn-of-currencies.ts';
import { tellOfOtherMoney } from './shop/tell-of-other-money.ts';
import type { UsageRows } from './credits/usage-rows.ts';
import { createWelcomeNewcomer, type WelcomeNewcomer } from './shop/welcome/welcome-newcomer.ts';

export type Billing = {
  /** Which rows of money count: those of real payments and of shops that sell nothing, or those of the sandbox. */
  readonly livemode: boolean;
  readonly charges: Charges;
  readonly priceRises: PriceRises;
  readonly entitlement: EntitlementPolicy;
  readonly access: AccessBook;
  readonly peoplePlans: PeoplePlans;
  readonly offers: OfferStore;
  /** Lists of servers read the offers on sale from it. */
  readonly shownOffers: ShownOffers;
  readonly offerEditing: OfferEditing;
  readonly prices: Prices;
  readonly ledger: Ledger;
  readonly welcomeNewcomer: WelcomeNewcomer;
  /** How many credits a new account is given; 0: none. */
  readonly welcomeCredits: number;
  readonly trialAddresses: TrialAddresses;
  readonly links: BillingLinks;
  /** undefined: nothing is sold, and every call is free. */
  readonly payments: Payments | undefined;
  /** A person's credits, from the database. */
  credits(userId: string): Promise<CreditAccount>;
  /** Looks for accounts whose figures do not fit together, logs each, an alarm, and keeps what it found. */
  checkLedger(): Promise<void>;
  /** Tells people of what ends soon, and of credits that run low: to be called every hour or so. */
  noteAhead(): Promise<void>;
};

/** Decides which servers a user may use, and charges calls to their credits. */
export async function createBilling({
  db,
  usage,
  config,
  provider,
  catalogue,
  offersFile,
  emailOf,
  emailsOf,
  accountSince,
  addressKey,
  uuid,
  clock,
  log,
}: {
  db: Database;
  usage: UsageRows;
  config: { publicUrl: string; paymentMethods: readonly string[]; checkout: { tax: boolean; codes: boolean } };
  /** undefined: nothing is sold. */
  provider: PaymentProvider | undefined;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions' | 'onChange'>;
  /** Path of the plans and packages that are sold. */
  offersFile: string;
  /** Where the provider sends receipts. */
  emailOf(userId: string): Promise<string | undefined>;
  /** The addresses of people by user id. */
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Since when a person has had an account. */
  accountSince(userId: string): Promise<Date | undefined>;
  /** Makes fingerprints of addresses that have had welcome credits or trials. */
  addressKey: Uint8Array;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Promise<Billing> {
  // where nothing is sold, what administrators give is given for good: the stand-in and a test key alone make play money
  const livemode = provider?.livemode ?? true;
  const offers = createOfferStore(db, clock);
  const offered = readOffers(offersFile);
  // without prices every call is free
  const welcomeCredits = provider ? offered.welcomeCredits[livemode ? 'live' : 'demo'] : 0;
  const currency = currencyOf(offered);
  if (provider) warnOfCurrencies(currency, catalogue.snapshot(), log);
  sayIgnored(await offers.replace(offered), log);
  const shownOffers = await createShownOffers(provider ? offers : undefined, log);
  await tellOfOtherMoney(db.query, livemode, log);
  const prices = await createPrices({ db, provider, addsTax: config.checkout.tax, offers, catalogue, currency, log });
  const trialAddresses = createTrialAddresses({ livemode, key: addressKey });
  const access = await createAccess({ db, livemode, emailOf, trialAddresses, uuid, clock, log });
  const ledger = await createLedger({ db, livemode, usage, uuid, clock, log, policy: growingLeases });
  const links = billingLinks(config.publicUrl, provider !== undefined);
  const payments =
    provider &&
    createPayments({
      db,
      provider,
      publicUrl: config.publicUrl,
      paymentMethods: config.paymentMethods,
      options: { asksTax: config.checkout.tax, allowsCodes: config.checkout.codes },
      offers,
      currency,
      prices,
      access,
      catalogue,
      emailOf,
      uuid,
      clock,
      log,
    });
  return {
    livemode,
    links,
    charges: createCharges({ ledger, usage, links, isCharging: provider !== undefined }),
    priceRises: createPriceRises({
      query: db.query,
      livemode,
      isCharging: provider !== undefined,
      catalogue,
      accountSince,
      clock,
    }),
    entitlement: access.entitlement,
    access,
    peoplePlans: createPeoplePlans({ query: db.query, livemode, clock }),
    shownOffers,
    offers: {
      ...offers,
      async replace(changed) {
        const ignored = await offers.replace(changed);
        await shownOffers.refresh();
        prices.refresh();
        payments?.offersChanged();
        return ignored;
      },
    },
    offerEditing: await createOfferEditing({
      db,
      livemode,
      isSelling: provider !== undefined,
      currency,
      prices,
      emailsOf,
      changed(isOtherTier) {
        if (isOtherTier) access.forgetAll();
        void shownOffers.refresh();
        prices.refresh();
        payments?.offersChanged();
      },
      clock,
      log,
    }),
    prices,
    ledger,
    trialAddresses,
    welcomeCredits,
    welcomeNewcomer: createWelcomeNewcomer({
      credits: welcomeCredits,
      livemode,
      currency: currency ?? 'USD',
      key: addressKey,
      uuid,
      clock,
    }),
    payments,
    credits: (userId) => ledger.account(userId),
    async noteAhead() {
      const nowMs = clock.now();
      const nameOf = async (serverId: string) => (await readOwnedServer(catalogue, serverId)).name;
      await noteEnds(db.query, { livemode, nowMs, nameOf });
      if (provider) await noteLowCredits(db.query, livemode, nowMs);
    },
    async checkLedger() {
      const faults = await checkLedger(db);
      await noteLedgerCheck(db.query, faults, new Date(clock.now()));
      for (const fault of faults) log.error(fault, 'the ledger does not add up');
    },
  };
}
