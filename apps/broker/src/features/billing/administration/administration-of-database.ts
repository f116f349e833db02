import type { Database } from '#platform/db/database.ts';
import { announceAccess } from '../entitlement/create-access.ts';
import { readOwned } from '../entitlement/access-store.ts';
import { createLedgerChanges } from '../credits/ledger-changes.ts';
import { ledgerTimes } from '../credits/ledger.ts';
import { createOfferStore } from '../shop/offers/offer-store.ts';
import type { AdministrationParts } from './administration-parts.ts';
import { createAdministration, type Administration } from './create-administration.ts';

/**
 * Builds the use cases of administrators on the database alone, for commands while no broker runs. They make no requests to the
 * payment provider: a broker's job later cancels there the subscriptions that end here. Refunds are refused.
 */
export function createAdministrationOfDatabase(
  parts: Pick<AdministrationParts, 'livemode' | 'catalogue' | 'directory' | 'clock' | 'uuid' | 'log'> & {
    db: Database;
  },
): Administration {
  const { db, livemode, clock } = parts;
  return createAdministration({
    ...parts,
    access: {
      read: (userId) => readOwned(db.query, livemode, userId),
      announce: (userId) => announceAccess(db, 'command', userId),
    },
    offers: createOfferStore(db, clock),
    // this process has no leases
    ledger: createLedgerChanges({ ...parts, times: ledgerTimes, restOf: () => 0 }),
    payments: undefined,
  });
}
