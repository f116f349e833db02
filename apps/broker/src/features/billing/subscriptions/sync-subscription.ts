import { tiers } from '@souk/contract/tiers.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { RentedServer } from '../access/read-rented.ts';
import { boundAccess } from './bound-access.ts';
import { readPaidInvoices, type PaidInvoice } from './read-invoices.ts';
import { readSubscription, type ProviderSubscription } from './read-subscription.ts';
import { recordCancel, recordInvoice } from './record-subscription.ts';
import { stopCollecting } from './stop-collecting.ts';
import {
  beginReading,
  findOwner,
  findStored,
  listRecordedInvoices,
  noteReading,
  readPlan,
  writePlan,
  writeRental,
  type PlanFacts,
  type StoredSubscription,
} from './subscription-store.ts';

/**
 * Brings what we know of a subscription up to what the payment provider has: the plan or rental, its credits and its history.
 * Called for each event, by checkout, by the reconciler and after each change, as often as they like, by several brokers at
 * once.
 * @param paymentId of the provider
 * @returns unknown: it is of a product of ours, and of no paid order that we know of
 * @throws SoukError payments_unavailable: call again later
 */
export type SyncSubscription = (paymentId: string) => Promise<'known' | 'unknown'>;

export type SyncGiven = {
  db: Pick<Database, 'query' | 'transaction'>;
  provider: PaymentProvider;
  findServer(id: string): CatalogueServer | undefined;
  /** Also of one that was taken out of the shop. */
  readServer(id: string): Promise<RentedServer>;
  /** The provider has no such subscription. */
  endMissing(paymentId: string): Promise<void>;
  /** Gives back what was paid after its end. */
  returnLate(paymentId: string, endedAt: Date): Promise<void>;
  /** Sees to it that its invoices can be paid as the shop wants it. */
  settle(read: ProviderSubscription): Promise<void>;
  /** On every replica: what a person owns has changed. */
  announce(userId: string): Promise<void>;
  uuid: () => string;
  clock: Clock;
  log: Log;
};

export function createSyncSubscription(given: SyncGiven): SyncSubscription {
  const { db, provider, uuid, log } = given;
  const { livemode } = provider;

  async function write(
    query: Query,
    reading: number,
    found: ProviderSubscription,
    invoices: readonly PaidInvoice[],
    rentedName: string,
  ): Promise<string | 'newer' | undefined> {
    if (!(await noteReading(query, found, reading))) return 'newer';
    const read = await boundAccess(query, found, invoices);
    const stored = await findStored(query, read.kind, read.id);
    const userId = stored?.userId ?? (await findOwner(query, read.id, livemode));
    // not paid for yet as far as we know, or not what was ordered: checkout decides that
    if (userId === undefined || stored?.livemode === !livemode) return undefined;
    const owner = { id: stored?.id ?? uuid(), userId, livemode };
    let what: string;
    if (read.kind === 'plan') {
      const isPaidFor = invoices.some(({ change, period }) =>
        [change?.toPlanId, period?.planId].includes(read.offerId),
      );
      const chosen = await choosePlan(query, read, stored, isPaidFor);
      if (!chosen) {
        log.error({ subscription: read.id, planId: read.offerId }, 'a subscription is of a plan that does not exist');
        return undefined;
      }
      await writePlan(query, read, { ...owner, ...chosen });
      what = `${chosen.name} plan`;
    } else {
      const server = given.findServer(read.offerId)?.manifest;
      const rental = { ...owner, itemId: read.offerId, nextPlanId: undefined };
      await writeRental(query, read, rental, server?.features ?? []);
      what = `Rental of ${rentedName}`;
    }
    const told = { ...owner, read, what };
    for (const invoice of invoices) await recordInvoice(query, { uuid, log }, { ...told, invoice });
    if (read.cancelledAt ?? read.endedAt)
      await recordCancel(query, { ...told, id: uuid(), at: new Date(given.clock.now()) });
    return userId;
  }

  return async (paymentId) => {
    const reading = await beginReading(db.query, paymentId);
    const read = await readSubscription(provider, paymentId);
    if (read === 'missing') {
      await given.endMissing(paymentId);
      return 'known';
    }
    if (!read) return 'known';
    // after its end: a void invoice would make a subscription that is past due an active one
    if (read.endedAt) await stopCollecting(provider, paymentId, 'void');
    const recorded = await listRecordedInvoices(db.query, paymentId);
    const invoices = await readPaidInvoices(provider, paymentId, (id) => recorded.has(id));
    const rentedName = read.kind === 'rental' ? (await given.readServer(read.offerId)).name : '';
    const userId = await db.transaction((query) => write(query, reading, read, invoices, rentedName));
    if (userId === undefined) return 'unknown';
    if (userId !== 'newer') await given.announce(userId);
    await (read.endedAt ? given.returnLate(paymentId, read.endedAt) : given.settle(read));
    return 'known';
  };
}

/**
 * The plan that a subscription gives now, with its name, and the one that begins with the next period. A higher plan counts once its
 * difference is paid, a lower one from the next period on. A higher one of which no difference was charged counts once that period
 * is paid, which may be days after it has begun.
 * @param isPaidFor an invoice that this reading has found first paid the difference to the plan, or a period of it
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
