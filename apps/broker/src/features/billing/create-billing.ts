import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createAccess, type AccessBook } from './access/create-access.ts';
import type { Charges } from './charges.ts';
import { createCharges } from './create-charges.ts';
import type { EntitlementPolicy } from './entitlement.ts';
import { checkLedger } from './ledger/check-ledger.ts';
import { createLedger } from './ledger/create-ledger.ts';
import type { Ledger } from './ledger/ledger.ts';
import { growingLeases } from './ledger/lease-policy.ts';
import { readAccount, type CreditAccount } from './ledger/read-account.ts';
import { createOfferStore, type OfferStore } from './offers/offer-store.ts';
import { readOffers } from './offers/read-offers.ts';
import type { UsageRows } from './usage-rows.ts';

export type Billing = {
  readonly charges: Charges;
  readonly entitlement: EntitlementPolicy;
  readonly access: AccessBook;
  readonly offers: OfferStore;
  readonly ledger: Ledger;
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
  offersFile,
  uuid,
  clock,
  log,
}: {
  db: Database;
  usage: UsageRows;
  config: { publicUrl: string; chargeCalls: boolean; stripe?: { secretKey: string } | undefined };
  /** Path of the plans and packages that are sold. */
  offersFile: string;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Promise<Billing> {
  const livemode = /^[a-z]+_live_/.test(config.stripe?.secretKey ?? '');
  const offers = createOfferStore(db);
  await offers.replace(await readOffers(offersFile));
  const access = await createAccess({ db, livemode, uuid, clock, log });
  const ledger = await createLedger({ db, livemode, usage, uuid, clock, log, policy: growingLeases });
  return {
    charges: createCharges({ ledger, usage, publicUrl: config.publicUrl, isCharging: config.chargeCalls }),
    entitlement: access.entitlement,
    access,
    offers,
    ledger,
    credits: (userId) => readAccount(db.query, livemode, userId),
    async checkLedger() {
      const faults = await checkLedger(db);
      for (const fault of faults) log.error(fault, 'the ledger does not add up');
    },
  };
}
