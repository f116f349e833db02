import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { PeoplePlans } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createAccess, type AccessBook } from './access/create-access.ts';
import { createPeoplePlans } from './access/people-plans.ts';
import type { Charges } from './charges.ts';
import { billingLinks, type BillingLinks } from './billing-links.ts';
import { createCharges } from './create-charges.ts';
import type { EntitlementPolicy } from './entitlement.ts';
import { checkLedger } from './ledger/check-ledger.ts';
import { createLedger } from './ledger/create-ledger.ts';
import type { Ledger } from './ledger/ledger.ts';
import { growingLeases } from './ledger/lease-policy.ts';
import type { CreditAccount } from './ledger/read-account.ts';
import { createPayments, type Payments } from './create-payments.ts';
import { createOfferStore, type OfferStore } from './offers/offer-store.ts';
import { currencyOf, readOffers } from './offers/read-offers.ts';
import { createPriceRises, type PriceRises } from './price-rises/create-price-rises.ts';
import { createPrices, type Prices } from './prices/create-prices.ts';
import { warnOfCurrencies } from './prices/warn-of-currencies.ts';
import { tellOfOtherMoney } from './tell-of-other-money.ts';
import type { UsageRows } from './usage-rows.ts';

export type Billing = {
  /** Which rows of money count: those of real payments and of shops that sell nothing, or those of the sandbox. */
  readonly livemode: boolean;
  readonly charges: Charges;
  readonly priceRises: PriceRises;
  readonly entitlement: EntitlementPolicy;
  readonly access: AccessBook;
  readonly peoplePlans: PeoplePlans;
  readonly offers: OfferStore;
  readonly prices: Prices;
  readonly ledger: Ledger;
  readonly links: BillingLinks;
  /** undefined: nothing is sold, and every call is free. */
  readonly payments: Payments | undefined;
  /** A person's credits, from the database. */
  credits(userId: string): Promise<CreditAccount>;
  /** Looks for accounts whose figures do not fit together, and logs each: an alarm. */
  checkLedger(): Promise<void>;
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
  accountSince,
  uuid,
  clock,
  log,
}: {
  db: Database;
  usage: UsageRows;
  config: { publicUrl: string; paymentMethods: readonly string[] };
  /** undefined: nothing is sold. */
  provider: PaymentProvider | undefined;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions' | 'onChange'>;
  /** Path of the plans and packages that are sold. */
  offersFile: string;
  /** Where the provider sends receipts. */
  emailOf(userId: string): Promise<string | undefined>;
  /** Since when a person has had an account. */
  accountSince(userId: string): Promise<Date | undefined>;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Promise<Billing> {
  // where nothing is sold, what administrators give is given for good: the stand-in and a test key alone make play money
  const livemode = provider?.livemode ?? true;
  const offers = createOfferStore(db);
  const offered = readOffers(offersFile);
  const currency = currencyOf(offered);
  if (provider) warnOfCurrencies(currency, catalogue.snapshot(), log);
  await offers.replace(offered);
  await tellOfOtherMoney(db.query, livemode, log);
  const prices = await createPrices({ db, provider, offers, catalogue, currency, log });
  const access = await createAccess({ db, livemode, uuid, clock, log });
  const ledger = await createLedger({ db, livemode, usage, uuid, clock, log, policy: growingLeases });
  const links = billingLinks(config.publicUrl, provider !== undefined);
  const payments =
    provider &&
    createPayments({
      db,
      provider,
      publicUrl: config.publicUrl,
      paymentMethods: config.paymentMethods,
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
    offers: {
      ...offers,
      async replace(changed) {
        await offers.replace(changed);
        prices.refresh();
        payments?.offersChanged();
      },
    },
    prices,
    ledger,
    payments,
    credits: (userId) => ledger.account(userId),
    async checkLedger() {
      const faults = await checkLedger(db);
      for (const fault of faults) log.error(fault, 'the ledger does not add up');
    },
  };
}
