import { tiers } from '@souk/contract/tiers.ts';
import type { Query } from '#platform/db/database.ts';
import { queueNotice } from '#platform/notices/outbox.ts';
import { recordBalance } from '../changes/record-balance.ts';
import { readPlan, type PlanFacts } from '../offers/offer-rows.ts';
import { takeRentalsOfPlan } from '../overlap/end-with-plan.ts';
import { recordSeenPrice } from '../prices/plan-prices.ts';
import type { ShopParts } from '../shop-parts.ts';
import { boundAccess } from './ends/bound-access.ts';
import { wantEnd } from './ends/want-end.ts';
import { judgeChanges } from './judge-changes.ts';
import { addInvoice, isRecordedAsPaid, markOwed } from './reading/invoice-store.ts';
import type { PaidInvoice } from './reading/read-invoices.ts';
import type { NextInvoice } from './reading/read-next-invoice.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';
import { recordDecision, recordInvoice, type Decision } from './record-subscription.ts';
import {
  findOwner,
  findStored,
  recordReading,
  writePlan,
  writeRental,
  type StoredSubscription,
} from './subscription-store.ts';

type WriteParts = Pick<ShopParts, 'provider' | 'findServer' | 'uuid' | 'clock' | 'log'>;

/** Facts that a reading found at the provider. `number` orders the readings of a subscription. */
export type Reading = {
  number: number;
  found: ProviderSubscription;
  invoices: readonly PaidInvoice[];
  rentedName: string;
  next: NextInvoice | undefined;
};

/**
 * Result of a reading: the user of the subscription, the rentals that a plan ends with their period, whether payments have to
 * be refunded, and whether the provider has made a change that was dropped.
 */
export type Written = { userId: string; ending: string[]; isOwed: boolean; hasDroppedChange: boolean };

type Owner = { id: string; userId: string; livemode: boolean };

/**
 * Writes a reading in one transaction: the plan or rental, its invoices with their credits, and the history.
 * @returns newer: a later reading is written already. undefined: the subscription is unknown here
 */
export async function writeReading(
  query: Query,
  parts: WriteParts,
  { number, found, invoices, rentedName, next }: Reading,
): Promise<Written | 'newer' | undefined> {
  const { livemode } = parts.provider;
  if (!(await recordReading(query, found, number, next))) return 'newer';
  await recordBalance(query, found.customer);
  const read = await boundAccess(query, found, invoices);
  const stored = await findStored(query, read.kind, read.id);
  const userId = stored?.userId ?? (await findOwner(query, read.id, livemode));
  // not paid for yet as far as we know, or not what was ordered: checkout decides that
  if (userId === undefined || stored?.livemode === !livemode) return undefined;
  const owner = { id: stored?.id ?? parts.uuid(), userId, livemode };
  const fresh: PaidInvoice[] = [];
  for (const invoice of invoices) if (await addInvoice(query, read.id, invoice)) fresh.push(invoice);
  const hasDroppedChange = await judgeChanges(query, read, fresh);
  const { owed, isDue } = await markOwed(query, read, new Date(parts.clock.now()));
  const paying = fresh.filter(({ id }) => !owed.has(id));
  const written =
    read.kind === 'plan'
      ? await givePlan(query, parts, { owner, read, stored, paying, hasDroppedChange })
      : await giveRental(query, parts, { owner, read, rentedName });
  if (!written) return undefined;
  const { what, ending, nextPlanId } = written;
  const about = { ...owner, read, what };
  for (const invoice of fresh) await recordInvoice(query, parts, { ...about, invoice, isOwed: owed.has(invoice.id) });
  for (const one of await decisionsOf(query, read, stored, nextPlanId))
    await recordDecision(query, { ...about, ...one, id: parts.uuid(), at: new Date(parts.clock.now()) });
  if (read.pastDue && !stored?.pastDue && !read.endedAt) await notifyOfFailure(query, parts, owner, read, what);
  return { userId, ending, isOwed: isDue, hasDroppedChange };
}

type PlanReading = {
  owner: Owner;
  read: ProviderSubscription;
  stored: StoredSubscription | undefined;
  paying: readonly PaidInvoice[];
  hasDroppedChange: boolean;
};
type GivenAccess = { what: string; ending: string[]; nextPlanId: string | undefined };

async function givePlan(
  query: Query,
  { clock, log }: WriteParts,
  { owner, read, stored, paying, hasDroppedChange }: PlanReading,
): Promise<GivenAccess | undefined> {
  const isPaidFor =
    paying.some(({ change, period }) => [change?.toPlanId, period?.planId].includes(read.offerId)) ||
    (await isRecordedAsPaid(query, read));
  const chosen =
    hasDroppedChange && stored ? await keepPlan(query, stored) : await choosePlan(query, read, stored, isPaidFor);
  if (!chosen) {
    log.error({ subscription: read.id, planId: read.offerId }, 'a subscription is of a plan that does not exist');
    return undefined;
  }
  await recordSeenPrice(query, read);
  await writePlan(query, read, { ...owner, ...chosen, at: new Date(clock.now()) });
  let ending: string[] = [];
  if (!(read.endedAt ?? read.cancelledAt) && !read.pastDue) {
    ending = await takeRentalsOfPlan(query, owner, chosen.itemId);
    if (ending.length > 0) await wantEnd(query, ending);
  }
  return { what: `${chosen.name} plan`, ending, nextPlanId: chosen.nextPlanId };
}

async function giveRental(
  query: Query,
  { findServer }: WriteParts,
  { owner, read, rentedName }: { owner: Owner; read: ProviderSubscription; rentedName: string },
): Promise<GivenAccess> {
  const server = findServer(read.offerId)?.manifest;
  await writeRental(query, read, { ...owner, itemId: read.offerId, nextPlanId: undefined }, server?.features ?? []);
  return { what: `Rental of ${rentedName}`, ending: [], nextPlanId: undefined };
}

/** Notifies the user once each time that a subscription becomes past due: retries of the same payment change nothing. */
async function notifyOfFailure(
  query: Query,
  { clock }: WriteParts,
  { userId }: Owner,
  read: ProviderSubscription,
  what: string,
): Promise<void> {
  const event = `${read.id}:${read.periodEndsAt.toISOString()}`;
  const facts = { what: what.replace(/^Rental/, 'rental'), hasEnded: read.isGivenUp };
  await queueNotice(query, { kind: 'payment_failed', userId, event, facts }, new Date(clock.now()));
}

type ChosenPlan = { itemId: string; name: string; nextPlanId: string | undefined };

/** Keeps the plan of a subscription, where the provider has made a change that was dropped. */
async function keepPlan(query: Query, { itemId, nextPlanId }: StoredSubscription): Promise<ChosenPlan | undefined> {
  const plan = await readPlan(query, itemId);
  return plan && { itemId, name: plan.name, nextPlanId };
}

/**
 * Chooses the plan that a subscription gives now, and the one that starts with the next period. A higher plan counts once its
 * difference is paid, a lower one from the next period on. A higher plan without a charged difference counts once its period is
 * paid, which may be days after the period started.
 * @param isPaidFor an invoice, of this reading or an older one, paid the difference to the plan, or a period of it
 */
async function choosePlan(
  query: Query,
  { offerId, periodEndsAt, isPaidUp }: ProviderSubscription,
  stored: StoredSubscription | undefined,
  isPaidFor: boolean,
): Promise<ChosenPlan | undefined> {
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

/** Finds the owner's decisions by comparing a subscription with what was stored. A cancellation may be over when it is read. */
async function decisionsOf(
  query: Query,
  read: ProviderSubscription,
  stored: StoredSubscription | undefined,
  nextPlanId: string | undefined,
): Promise<{ decision: Decision; isNew: boolean }[]> {
  const isOver = read.cancelledAt ?? read.endedAt;
  const wasOver = stored?.cancelledAt ?? stored?.endedAt;
  if (isOver) return [{ decision: { what: 'cancelled' }, isNew: stored !== undefined && wasOver === undefined }];
  // what was removed stays removed, and a new period has its own row
  if (!stored || stored.endedAt || stored.periodEndsAt.getTime() !== read.periodEndsAt.getTime()) return [];
  if (wasOver) return [{ decision: { what: 'resumed' }, isNew: true }];
  if (stored.nextPlanId === nextPlanId) return [];
  const next = nextPlanId === undefined ? undefined : await readPlan(query, nextPlanId);
  if (next) return [{ decision: { what: 'changes', toPlan: next.name }, isNew: true }];
  // a pending upgrade has started
  return stored.itemId === read.offerId ? [{ decision: { what: 'kept' }, isNew: true }] : [];
}
