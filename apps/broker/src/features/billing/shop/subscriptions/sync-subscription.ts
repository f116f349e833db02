import type { OwnedServerFacts } from '../../entitlement/read-owned-servers.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import type { ShopParts, SyncSubscription } from '../shop-parts.ts';
import { voidAwaited } from './drop-upgrade.ts';
import { setCollection } from './ends/set-collection.ts';
import { listRecordedInvoices } from './reading/invoice-store.ts';
import { readPaidInvoices } from './reading/read-invoices.ts';
import { readMoment, type Moment } from './reading/read-moment.ts';
import { readNextInvoice } from './reading/read-next-invoice.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';
import { undoDroppedChange } from './undo-dropped-change.ts';
import { beginReading, wantReading } from './subscription-store.ts';
import { writeReading, type Reading, type Written } from './write-reading.ts';

export type SyncParts = Pick<ShopParts, 'db' | 'provider' | 'findServer' | 'locks' | 'uuid' | 'clock' | 'log'> & {
  /** Reads undeployed servers too. */
  readServer(id: string): Promise<OwnedServerFacts>;
  /** Ends a subscription that the provider does not have. */
  endMissing(providerSubscriptionId: string): Promise<void>;
  returnOwed(providerSubscriptionId: string, lock: PurchaseLock): Promise<void>;
  setPaymentSettings(read: ProviderSubscription): Promise<void>;
  /** Ends rentals, which the plan includes from now on, with their period. An end that the provider does not confirm is retried. */
  endRentals(providerSubscriptionIds: readonly string[], lock: PurchaseLock): Promise<void>;
  /** Reports to all replicas that what a user owns has changed. */
  announce(userId: string): Promise<void>;
};

export function createSyncSubscription(parts: SyncParts): SyncSubscription {
  return (providerSubscriptionId, lock) => syncOnce(parts, providerSubscriptionId, lock, false);
}

/** @param isAgain the second reading, after a change that the first one caused: a further change waits for the next */
async function syncOnce(
  parts: SyncParts,
  providerSubscriptionId: string,
  lock: PurchaseLock | undefined,
  isAgain: boolean,
): ReturnType<SyncSubscription> {
  const { db, provider } = parts;
  const number = await beginReading(db.query, providerSubscriptionId);
  const moment = await readMoment(provider, providerSubscriptionId);
  if (moment === 'missing') {
    await parts.endMissing(providerSubscriptionId);
    return 'known';
  }
  if (moment === 'changing') {
    await wantReading(db.query, providerSubscriptionId);
    return 'changing';
  }
  if (!moment) return 'known';
  const { read } = moment;
  const reading = await readRest(parts, moment, number);
  const written = await db.transaction((query) => writeReading(query, parts, reading));
  if (written === undefined) return 'unknown';
  if (written !== 'newer') {
    const { userId, ending, isOwed, hasDroppedChange } = written;
    await parts.announce(userId);
    if (hasDroppedChange || isOwed || ending.length > 0 || isCancelledUpgrade(read)) {
      const isChanged = await parts.locks.tryRun(userId, (taken) => follow(parts, read, written, taken), lock);
      if (isChanged === undefined) await wantReading(db.query, providerSubscriptionId);
      else if (isChanged && !isAgain) return syncOnce(parts, providerSubscriptionId, lock, true);
    }
  }
  if (!read.endedAt) await parts.setPaymentSettings(read);
  return 'known';
}

/** Reads the other facts that are written with a subscription. */
async function readRest({ db, provider, readServer }: SyncParts, moment: Moment, number: number): Promise<Reading> {
  const { read: found } = moment;
  // only after its end: voiding an invoice makes a subscription that is past due active
  if (found.endedAt) await setCollection(provider, found.id, 'void');
  const recorded = await listRecordedInvoices(db.query, found.id);
  const invoices = await readPaidInvoices(provider, moment.invoices, (id) => recorded.has(id));
  const next = await readNextInvoice(provider, found);
  const rentedName = found.kind === 'rental' ? (await readServer(found.offerId)).name : '';
  return { number, found, invoices, rentedName, next };
}

/** Makes the changes at the provider that follow from a reading. @returns whether it has to be refetched */
async function follow(
  parts: SyncParts,
  read: ProviderSubscription,
  { ending, isOwed, hasDroppedChange }: Written,
  lock: PurchaseLock,
): Promise<boolean> {
  const isUndone = hasDroppedChange && (await undoDroppedChange(parts, read, lock));
  const isDropped = isCancelledUpgrade(read);
  if (isDropped) await voidAwaited(parts.provider, read);
  if (isOwed) await parts.returnOwed(read.id, lock);
  if (ending.length > 0) await parts.endRentals(ending, lock);
  return isUndone || isDropped;
}

/** Whether a subscription was canceled, such as in the portal, while an upgrade waits for its payment: the upgrade is dropped. */
const isCancelledUpgrade = ({ cancelledAt, awaited }: ProviderSubscription): boolean =>
  cancelledAt !== undefined && awaited !== undefined;
