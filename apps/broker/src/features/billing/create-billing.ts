import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { PeoplePlans } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createAccess, type AccessBook } from './entitlement/create-access.ts';
import { notifyEnds } from './entitlement/notify-ends.ts';
import { readOwnedServer } from './entitlement/read-owned-servers.ts';
import { notifyLowCredits } from './credits/accounts/notify-low-credits.ts';
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
import { recordLedgerCheck } from './shop/needs/ledger-check.ts';
import { createOfferStore, type OfferStore } from './shop/offers/offer-store.ts';
import type { ShopParts } from './shop/shop-parts.ts';
import { createShownOffers, type ShownOffers } from './shop/offers/shown-offers.ts';
import { createOfferEditing, type OfferEditing } from './shop/offers/create-offer-editing.ts';
import { warnOfIgnoredChanges } from './shop/offers/warn-of-ignored-changes.ts';
import { currencyOf, readOffers } from './shop/offers/read-offers.ts';
import { createPriceRises, type PriceRises } from './entitlement/price-rises/create-price-rises.ts';
import { createPrices, type Prices } from './shop/prices/create-prices.ts';
import { warnOfCurrencies } from './shop/prices/warn-of-currencies.ts';
import { warnOfOtherMode } from './shop/warn-of-other-mode.ts';
import type { UsageRows } from './credits/usage-rows.ts';
import { createWelcomeNewcomer, type WelcomeNewcomer } from './shop/welcome/welcome-newcomer.ts';

export type Billing = {
  /** Whether real rows count, of real payments and of shops that sell nothing, or those of the sandbox. */
  readonly livemode: boolean;
  readonly charges: Charges;
  readonly priceRises: PriceRises;
  readonly entitlement: EntitlementPolicy;
  readonly access: AccessBook;
  readonly peoplePlans: PeoplePlans;
  readonly offers: OfferStore;
  readonly shownOffers: ShownOffers;
  readonly offerEditing: OfferEditing;
  readonly prices: Prices;
  readonly ledger: Ledger;
  readonly welcomeNewcomer: WelcomeNewcomer;
  readonly welcomeCredits: number;
  readonly trialAddresses: TrialAddresses;
  readonly links: BillingLinks;
  /** undefined: nothing is sold, and every call is free. */
  readonly payments: Payments | undefined;
  /** Reads a user's credits from the database. */
  credits(userId: string): Promise<CreditAccount>;
  /** Looks for accounts whose figures do not add up, raises an alarm for each, and stores the result. */
  checkLedger(): Promise<void>;
  /** Notifies users of access that ends soon, and of low credits. Call it hourly. */
  notifyAhead(): Promise<void>;
};

type BillingOptions = {
  db: Database;
  usage: UsageRows;
  config: { publicUrl: string; paymentMethods: readonly string[]; checkout: { tax: boolean; codes: boolean } };
  /** undefined: nothing is sold. */
  provider: PaymentProvider | undefined;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions' | 'onChange'>;
  offersFile: string;
  /** Address to which the provider sends receipts. */
  emailOf(userId: string): Promise<string | undefined>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  accountSince(userId: string): Promise<Date | undefined>;
  /** Key of the fingerprints of addresses that have had welcome credits or trials. */
  addressKey: Uint8Array;
  uuid: () => string;
  clock: Clock;
  log: Log;
};

/** Decides which servers a user may use, and charges calls to their credits. */
export async function createBilling(options: BillingOptions): Promise<Billing> {
  const { db, usage, config, provider, catalogue, addressKey, clock, log } = options;
  // where nothing is sold, what administrators give counts as real: only the stand-in and a test key make demo payments
  const livemode = provider?.livemode ?? true;
  const isSelling = provider !== undefined;
  const offers = createOfferStore(db, clock);
  const offered = readOffers(options.offersFile);
  // every call is free where nothing is sold
  const welcomeCredits = isSelling ? offered.welcomeCredits[livemode ? 'live' : 'demo'] : 0;
  const currency = currencyOf(offered);
  if (provider) warnOfCurrencies(currency, catalogue.snapshot(), log);
  warnOfIgnoredChanges(await offers.replace(offered), log);
  const shownOffers = await createShownOffers(isSelling ? offers : undefined, log);
  await warnOfOtherMode(db.query, livemode, log);
  const prices = await createPrices({ ...options, addsTax: config.checkout.tax, offers, currency });
  const trialAddresses = createTrialAddresses({ livemode, key: addressKey });
  const access = await createAccess({ ...options, livemode, trialAddresses });
  const ledger = await createLedger({ ...options, livemode, policy: growingLeases });
  const links = billingLinks(config.publicUrl, isSelling);
  const payments = provider && startPayments(options, { provider, offers, currency, prices, access });
  const offersChanged = () => {
    prices.refresh();
    payments?.offersChanged();
  };
  return {
    livemode,
    links,
    charges: createCharges({ ledger, usage, links, isCharging: isSelling }),
    priceRises: createPriceRises({ ...options, livemode, isCharging: isSelling }),
    entitlement: access.entitlement,
    access,
    peoplePlans: createPeoplePlans({ query: db.query, livemode, clock }),
    shownOffers,
    offers: {
      ...offers,
      async replace(changed) {
        const ignored = await offers.replace(changed);
        await shownOffers.refresh();
        offersChanged();
        return ignored;
      },
    },
    offerEditing: await createOfferEditing({
      ...options,
      livemode,
      isSelling,
      currency,
      prices,
      changed(isOtherTier) {
        if (isOtherTier) access.forgetAll();
        void shownOffers.refresh();
        offersChanged();
      },
    }),
    prices,
    ledger,
    trialAddresses,
    welcomeCredits,
    welcomeNewcomer: createWelcomeNewcomer({
      ...options,
      credits: welcomeCredits,
      livemode,
      currency: currency ?? 'USD',
      key: addressKey,
    }),
    payments,
    credits: (userId) => ledger.account(userId),
    notifyAhead: () => notifyAhead(options, livemode),
    async checkLedger() {
      const faults = await checkLedger(db);
      await recordLedgerCheck(db.query, faults, new Date(clock.now()));
      for (const fault of faults) log.error(fault, 'the ledger does not add up');
    },
  };
}

function startPayments(
  { config, ...options }: BillingOptions,
  shop: Pick<ShopParts, 'provider' | 'offers' | 'currency' | 'prices' | 'access'>,
): Payments {
  const { publicUrl, paymentMethods, checkout } = config;
  const pages = { asksTax: checkout.tax, allowsCodes: checkout.codes };
  return createPayments({ ...options, ...shop, publicUrl, paymentMethods, options: pages });
}

async function notifyAhead({ db, catalogue, provider, clock }: BillingOptions, livemode: boolean): Promise<void> {
  const nowMs = clock.now();
  const nameOf = async (serverId: string) => (await readOwnedServer(catalogue, serverId)).name;
  await notifyEnds(db.query, { livemode, nowMs, nameOf });
  if (provider) await notifyLowCredits(db.query, livemode, nowMs);
}
