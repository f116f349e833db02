import { tiers } from '@souk/contract/tiers.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { OwnedServerFacts } from '../../entitlement/read-owned-servers.ts';
import { noteSeenPrice } from '../prices/plan-prices.ts';
import { noteNotice } from '#platform/notices/outbox.ts';
import { takeRentalsOfPlan } from '../overlap/end-with-plan.ts';
import { boundAccess } from './ends/bound-access.ts';
import { noteBalance } from '../changes/note-balance.ts';
import type { PurchaseLock, PurchaseLocks } from '../changes/purchase-locks.ts';
import { voidAwaited } from './drop-upgrade.ts';
import { addInvoice, isRecordedAsPaid, listRecordedInvoices, markOwed } from './reading/invoice-store.ts';
import { judgeChanges } from './judge-changes.ts';
import { readMoment } from './reading/read-moment.ts';
import { readNextInvoice, type NextInvoice } from './reading/read-next-invoice.ts';
import { readPaidInvoices, type PaidInvoice } from './reading/read-invoices.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';
import { recordDecision, recordInvoice, type Decision } from './record-subscription.ts';
import { setRight } from './set-right.ts';
import { stopCollecting } from './ends/stop-collecting.ts';
import {
  beginReading,
  findOwner,
  findStored,
  noteReading,
  readPlan,
  wantReading,
  writePlan,
  writeRental,
  type PlanFacts,
  type StoredSubscription,
} from './subscription-store.ts';

/**
 * Brings what we know of a subscription up to what the payment provider has: the plan or rental, its credits and its history.
 * Called for each event, by checkout, by the reconciler and after each change, as often as they like, by several brokers at
 * once.
 * What has to be done at the provider then is done under the lock of its person's purchases; where another change has that, by a job.
 * @param paymentId of the provider
 * @param lock where the caller has it
 * @returns unknown: it is of a product of ours, and of no paid order that we know of. unsettled: it changes at this moment, and is
 *   read again by a job
 * @throws SoukError payments_unavailable: call again later
 */
export type SyncSubscription = (paymentId: string, lock?: PurchaseLock) => Promise<'known' | 'unknown' | 'unsettled'>;

export type SyncGiven = {
  db: Pick<Database, 'query' | 'transaction'>;
  provider: PaymentProvider;
  findServer(id: string): CatalogueServer | undefined;
  /** Also of one that was taken out of the shop. */
  readServer(id: string): Promise<OwnedServerFacts>;
  /** The provider has no such subscription. */
  endMissing(paymentId: string): Promise<void>;
  locks: PurchaseLocks;
  /** Gives back what was paid for it and has to go back. */
  returnOwed(paymentId: string, lock: PurchaseLock): Promise<void>;
  /** Sees to it that its invoices can be paid as the shop wants it. */
  settle(read: ProviderSubscription): Promise<void>;
  /** Ends rentals with their period that the plan includes from now on. One that the provider does not end now is tried again. */
  endRentals(paymentIds: readonly string[], lock: PurchaseLock): Promise<void>;
  /** On every replica: what a person owns has changed. */
  announce(userId: string): Promise<void>;
  uuid: () => string;
  clock: Clock;
  log: Log;
};

/**
 * What a reading changed: whose it is, the rentals that a plan ends with their period, whether payments have to go back, and whether
 * the provider has made a change that did not happen.
 */
type Written = { userId: string; ending: string[]; isOwed: boolean; isWrong: boolean };

export function createSyncSubscription(given: SyncGiven): SyncSubscription {
  const { db, provider, uuid, log } = given;
  const { livemode } = provider;

  async function write(
    query: Query,
    reading: number,
    found: ProviderSubscription,
    invoices: readonly PaidInvoice[],
    rentedName: string,
    next: NextInvoice | undefined,
  ): Promise<Written | 'newer' | undefined> {
    if (!(await noteReading(query, found, reading, next))) return 'newer';
    await noteBalance(query, found.customer);
    const read = await boundAccess(query, found, invoices);
    const stored = await findStored(query, read.kind, read.id);
    const userId = stored?.userId ?? (await findOwner(query, read.id, livemode));
    // not paid for yet as far as we know, or not what was ordered: checkout decides that
    if (userId === undefined || stored?.livemode === !livemode) return undefined;
    const owner = { id: stored?.id ?? uuid(), userId, livemode };
    const fresh: PaidInvoice[] = [];
    for (const invoice of invoices) if (await addInvoice(query, read.id, invoice)) fresh.push(invoice);
    const isWrong = await judgeChanges(query, read, fresh);
    const { owed, isDue } = await markOwed(query, read, new Date(given.clock.now()));
    const paying = fresh.filter(({ id }) => !owed.has(id));
    let what: string;
    let ending: string[] = [];
    let nextPlanId: string | undefined;
    if (read.kind === 'plan') {
      const isPaidFor =
        paying.some(({ change, period }) => [change?.toPlanId, period?.planId].includes(read.offerId)) ||
        (await isRecordedAsPaid(query, read));
      const chosen =
        isWrong && stored ? await keepPlan(query, stored) : await choosePlan(query, read, stored, isPaidFor);
      if (!chosen) {
        log.error({ subscription: read.id, planId: read.offerId }, 'a subscription is of a plan that does not exist');
        return undefined;
      }
      await noteSeenPrice(query, read);
      await writePlan(query, read, { ...owner, ...chosen, at: new Date(given.clock.now()) });
      if (!(read.endedAt ?? read.cancelledAt) && !read.pastDue)
        ending = await takeRentalsOfPlan(query, owner, chosen.itemId);
      what = `${chosen.name} plan`;
      nextPlanId = chosen.nextPlanId;
    } else {
      const server = given.findServer(read.offerId)?.manifest;
      const rental = { ...owner, itemId: read.offerId, nextPlanId: undefined };
      await writeRental(query, read, rental, server?.features ?? []);
      what = `Rental of ${rentedName}`;
    }
    const told = { ...owner, read, what };
    for (const invoice of fresh)
      await recordInvoice(query, { uuid, log }, { ...told, invoice, isOwed: owed.has(invoice.id) });
    const decisions = await decisionsOf(query, read, stored, nextPlanId);
    for (const one of decisions)
      await recordDecision(query, { ...told, ...one, id: uuid(), at: new Date(given.clock.now()) });
    if (read.pastDue && !stored?.pastDue && !read.endedAt) await tellOfFailure(query, owner, read, what);
    return { userId, ending, isOwed: isDue, isWrong };
  }

  /** Once for each time that it becomes past due: later tries of the same payment change nothing. */
  async function tellOfFailure(
    query: Query,
    { userId }: { userId: string },
    read: ProviderSubscription,
    what: string,
  ): Promise<void> {
    const event = `${read.id}:${read.periodEndsAt.toISOString()}`;
    const facts = { what: what.replace(/^Rental/, 'rental'), hasEnded: read.isGivenUp };
    await noteNotice(query, { kind: 'payment_failed', userId, event, facts }, new Date(given.clock.now()));
  }

  /** @returns whether something of it was changed at the provider, so that it has to be read again */
  async function follow(
    read: ProviderSubscription,
    { ending, isOwed, isWrong }: Written,
    lock: PurchaseLock,
  ): Promise<boolean> {
    const isRight = isWrong && (await setRight({ ...given, query: db.query }, read, lock));
    const isDropped = isCancelledUpgrade(read);
    if (isDropped) await voidAwaited(provider, read);
    if (isOwed) await given.returnOwed(read.id, lock);
    if (ending.length > 0) await given.endRentals(ending, lock);
    return isRight || isDropped;
  }

  /** @param isAgain after a change that followed from a reading: another one waits for the next */
  async function readAndFollow(
    paymentId: string,
    lock: PurchaseLock | undefined,
    isAgain: boolean,
  ): ReturnType<SyncSubscription> {
    const reading = await beginReading(db.query, paymentId);
    const moment = await readMoment(provider, paymentId);
    if (moment === 'missing') {
      await given.endMissing(paymentId);
      return 'known';
    }
    if (moment === 'unsettled') {
      await wantReading(db.query, paymentId);
      return 'unsettled';
    }
    if (!moment) return 'known';
    const { read } = moment;
    // after its end: a void invoice would make a subscription that is past due an active one
    if (read.endedAt) await stopCollecting(provider, paymentId, 'void');
    const recorded = await listRecordedInvoices(db.query, paymentId);
    const invoices = await readPaidInvoices(provider, moment.invoices, (id) => recorded.has(id));
    const next = await readNextInvoice(provider, read);
    const rentedName = read.kind === 'rental' ? (await given.readServer(read.offerId)).name : '';
    const written = await db.transaction((query) => write(query, reading, read, invoices, rentedName, next));
    if (written === undefined) return 'unknown';
    if (written !== 'newer') {
      const { userId, ending, isOwed, isWrong } = written;
      await given.announce(userId);
      if (isWrong || isOwed || ending.length > 0 || isCancelledUpgrade(read)) {
        const isChanged = await given.locks.tryRun(userId, (held) => follow(read, written, held), lock);
        if (isChanged === undefined) await wantReading(db.query, paymentId);
        else if (isChanged && !isAgain) return readAndFollow(paymentId, lock, true);
      }
    }
    if (!read.endedAt) await given.settle(read);
    return 'known';
  }

  return (paymentId, lock) => readAndFollow(paymentId, lock, false);
}

/** It was canceled, as in the portal of the provider, while an upgrade waits to be paid: that is dropped. */
const isCancelledUpgrade = ({ cancelledAt, awaited }: ProviderSubscription): boolean =>
  cancelledAt !== undefined && awaited !== undefined;

/** The plan that a subscription gives stays where the provider has made a change that did not happen. */
async function keepPlan(
  query: Query,
  { itemId, nextPlanId }: StoredSubscription,
): Promise<{ itemId: string; name: string; nextPlanId: string | undefined } | undefined> {
  const plan = await readPlan(query, itemId);
  return plan && { itemId, name: plan.name, nextPlanId };
}

/** What was decided about a subscription, by what was known of it and what is read now. A cancellation may be over when it is read. */
async function decisionsOf(
  query: Query,
  read: ProviderSubscription,
  stored: StoredSubscription | undefined,
  nextPlanId: string | undefined,
): Promise<{ decision: Decision; isNew: boolean }[]> {
  const isOver = read.cancelledAt ?? read.endedAt;
  const wasOver = stored?.cancelledAt ?? stored?.endedAt;
  if (isOver) return [{ decision: { what: 'cancelled' }, isNew: stored !== undefined && wasOver === undefined }];
  // what was taken away stays so, and a new period has its own row
  if (!stored || stored.endedAt || stored.periodEndsAt.getTime() !== read.periodEndsAt.getTime()) return [];
  if (wasOver) return [{ decision: { what: 'resumed' }, isNew: true }];
  if (stored.nextPlanId === nextPlanId) return [];
  const next = nextPlanId === undefined ? undefined : await readPlan(query, nextPlanId);
  if (next) return [{ decision: { what: 'changes', toPlan: next.name }, isNew: true }];
  // an upgrade that was waited for has begun
  return stored.itemId === read.offerId ? [{ decision: { what: 'kept' }, isNew: true }] : [];
}

/**
 * The plan that a subscription gives now, with its name, and the one that begins with the next period. A higher plan counts once its
 * difference is paid, a lower one from the next period on. A higher one of which no difference was charged counts once that period
 * is paid, which may be days after it has begun.
 * @param isPaidFor an invoice paid the difference to the plan, or a period of it: this reading has found it first, or an older one,
 *   which knew nothing of the change yet
 */
async function choosePlan(
  query: Query,
  { offerId, periodEndsAt, isPaidUp }: ProviderSubscription,
  stored: StoredSubscription | undefined,
  isPaidFor: boolean,
): Promise<{ itemId: string; name: string; nextPlanId: string | undefined } | undefined> {
  const wanted = await readPlan(query, offerId);
  if (!wanted) return undefined;
  const current = stored && (await readPlan(query, stored.itemId));
  const give = ({ planId, name }: PlanFacts, nextPlanId?: string) => ({ itemId: planId, name, nextPlanId });
  if (!current || current.planId === wanted.planId) return give(wanted);
  const isHigher = tiers[wanted.tier].level > tiers[current.tier].level;
  const isSamePeriod = periodEndsAt.getTime() <= stored.periodEndsAt.getTime();
  if (isHigher && (isPaidFor || (isPaidUp && !isSamePeriod))) return give(wanted);
  if (isHigher) return give(current, wanted.planId);
  return isSamePeriod ? give(current, wanted.planId) : give(wanted);
}
