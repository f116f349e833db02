import type { Database } from '#platform/db/database.ts';
import { announceAccess } from '../entitlement/create-access.ts';
import { createAccessStore } from '../entitlement/access-store.ts';
import { createLedgerChanges } from '../credits/ledger-changes.ts';
import { ledgerTimes } from '../credits/ledger.ts';
import { createOfferStore } from '../shop/offers/offer-store.ts';
import type { AdministrationGiven } from './administration-given.ts';
import { createAdministration, type Administration } from './create-administration.ts';

/**
 * The same use cases on the database alone, for a command where no broker runs. The payment provider is not asked from here: what
 * ends is cancelled there by a broker's job, and a refund is refused.
 */
export function createAdministrationOfDatabase(
  given: Pick<AdministrationGiven, 'livemode' | 'catalogue' | 'directory' | 'clock' | 'uuid' | 'log'> & {
    db: Database;
  },
): Administration {
  const { db, livemode, clock } = given;
  return createAdministration({
    ...given,
    access: { read: createAccessStore(db, livemode).read, announce: (userId) => announceAccess(db, 'command', userId) },
    offers: createOfferStore(db, clock),
    ledger: createLedgerChanges({
      db,
      livemode,
      patienceMs: ledgerTimes.patienceMs,
      // no lease is of this process
      restOf: () => 0,
      nowMs: () => performance.now(),
      now: () => clock.now(),
    }),
    payments: undefined,
  });
}
