import type { TransactionType } from '@souk/contract/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { creditsOfPeriod } from '../moves/credits-of-period.ts';
import { creditsOfPrice } from '../prices/plan-prices.ts';
import { grantCredits } from '../ledger/change-credits.ts';
import { recordTransaction } from '../record-transaction.ts';
import type { PaidInvoice } from './read-invoices.ts';
import type { ProviderSubscription } from './read-subscription.ts';
import { readPlan } from './subscription-store.ts';

type Owner = {
  userId: string;
  livemode: boolean;
  read: ProviderSubscription;
  /** What is paid for, as people know it: "Pro plan". */
  what: string;
};

/** The key of the fact that an invoice was paid, for the ledger and the history: it counts once. */
export const invoiceKey = (invoiceId: string): string => `invoice:${invoiceId}`;

/**
 * Gives the monthly credits of the plan whose period an invoice pays for, and writes the payment into the history. The first
 * invoice is in the history as the order that it paid.
 */
export async function recordInvoice(
  query: Query,
  { uuid, log }: { uuid: () => string; log: Log },
  { userId, livemode, read, what, invoice }: Owner & { invoice: PaidInvoice },
): Promise<void> {
  if (!(await addInvoice(query, read.id, invoice))) return;
  const { reason, period, change, amount, tax, discount, currency, receiptUrl, paymentIntentId, paidAt } = invoice;
  // paid after its end: nothing is given for it, and it goes back
  const isLate = read.endedAt !== undefined && paidAt > read.endedAt;
  if (isLate)
    log.warn({ subscription: read.id, invoiceId: invoice.id }, 'an invoice was paid after its subscription ended');
  // a change of plan may begin a period of its own
  else if (period && !change) await grantMonthly(query, log, { userId, livemode, invoiceId: invoice.id, period });
  else await grantDifference(query, { userId, livemode, read, invoice });
  if (reason === 'create') {
    // known by its invoice alone until now: what paid it is what a refund or a dispute names
    await query(
      `update transactions set payment_intent_id = coalesce(payment_intent_id, $2), receipt_url = coalesce(receipt_url, $3)
       where invoice_id = $1`,
      [invoice.id, paymentIntentId ?? null, receiptUrl ?? null],
    );
    return;
  }
  // two clicks at once: the second one finds nothing left to change, and nothing to pay
  if (reason === 'update' && amount === 0) return;
  await recordTransaction(query, {
    id: uuid(),
    userId,
    livemode,
    type: read.kind === 'rental' ? 'rental_create' : 'subscription_update',
    status: 'completed',
    description: reason === 'cycle' ? `Renewal: ${what}` : `Change of plan: ${what}`,
    serverId: read.kind === 'rental' ? read.offerId : undefined,
    amount,
    tax,
    discount,
    currency,
    receiptUrl,
    paymentIntentId,
    invoiceId: invoice.id,
    idem: invoiceKey(invoice.id),
    at: paidAt,
  });
}

/** @returns false where it is recorded already; one that was recorded before amounts were kept is completed */
async function addInvoice(query: Query, paymentId: string, invoice: PaidInvoice): Promise<boolean> {
  const { id, paymentIntentId, paidAt, amount, tax, discount, currency, covers, change, period } = invoice;
  const { rows } = await query<{ is_new: boolean }>(
    `insert into subscription_invoices as i
       (invoice_id, payment_id, payment_intent_id, recorded_at, amount, currency, covers_from, covers_to, tax, discount,
        paid_plan_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (invoice_id) do update set amount = excluded.amount, currency = excluded.currency,
       covers_from = excluded.covers_from, covers_to = excluded.covers_to where i.amount is null
     returning xmax = 0 as is_new`,
    [
      id,
      paymentId,
      paymentIntentId ?? null,
      paidAt,
      amount,
      currency,
      covers?.from ?? null,
      covers?.to ?? null,
      tax,
      discount,
      change?.toPlanId ?? period?.planId ?? null,
    ],
  );
  return rows[0]?.is_new ?? false;
}

/** Of the price that the invoice names: the plan may have another one since. */
async function grantMonthly(
  query: Query,
  log: Log,
  {
    userId,
    livemode,
    invoiceId,
    period,
  }: { userId: string; livemode: boolean; invoiceId: string; period: NonNullable<PaidInvoice['period']> },
): Promise<void> {
  if (period.planId === undefined) return;
  const plan = await readPlan(query, period.planId);
  if (!plan) log.error({ invoiceId, planId: period.planId }, 'an invoice is of a plan that does not exist');
  const credits = (await creditsOfPrice(query, period.priceId)) ?? plan?.monthlyCredits ?? 0;
  if (!plan || credits === 0) return;
  await grantCredits(query, {
    userId,
    livemode,
    credits,
    source: 'plan',
    expiresAt: period.endsAt,
    idem: invoiceKey(invoiceId),
    reason: `Monthly credits of the ${plan.name} plan`,
  });
}

/**
 * A higher plan brings the difference of the month's credits for the rest of the period that it is paid for, rounded up, by
 * the id of its invoice: a refund of that takes them back.
 */
async function grantDifference(
  query: Query,
  { userId, livemode, read, invoice }: Pick<Owner, 'userId' | 'livemode' | 'read'> & { invoice: PaidInvoice },
): Promise<void> {
  const { change, covers } = invoice;
  if (!change || !covers) return;
  const [from, to] = [await readPlan(query, change.fromPlanId), await readPlan(query, change.toPlanId)];
  const had = await creditsOfPeriod(query, read.id, change.fromPriceId, covers.from);
  const fromCredits = had ?? from?.monthlyCredits ?? 0;
  const toCredits = (await creditsOfPrice(query, change.toPriceId)) ?? to?.monthlyCredits ?? 0;
  const difference = toCredits - fromCredits;
  // by time where the subscription is in that period still; by what was charged where it has gone on
  const isThisPeriod = covers.to.getTime() === read.periodEndsAt.getTime();
  const periodMs = read.periodEndsAt.getTime() - read.periodStartsAt.getTime();
  const share = isThisPeriod ? (covers.to.getTime() - covers.from.getTime()) / periodMs : change.share;
  const credits = Math.ceil(difference * share);
  if (credits <= 0) return;
  await grantCredits(query, {
    userId,
    livemode,
    credits,
    source: 'plan',
    expiresAt: covers.to,
    idem: invoiceKey(invoice.id),
    reason: `Credits of the ${to?.name} plan for the rest of the period`,
  });
}

/** What its owner decided about a subscription, which costs nothing by itself. */
export type Decision = { what: 'cancelled' | 'resumed' | 'kept' } | { what: 'changes'; toPlan: string };

/**
 * Writes a decision into the history, once for each period. Decided again after another decision it stands with its new time, so that
 * the newest row is what holds, and clicks to and fro leave no more rows.
 * @param isNew it was not so when the subscription was read before
 */
export async function recordDecision(
  query: Query,
  {
    userId,
    livemode,
    read,
    what,
    id,
    at,
    decision,
    isNew,
  }: Owner & {
    id: string;
    at: Date;
    decision: Decision;
    isNew: boolean;
  },
): Promise<void> {
  const isRental = read.kind === 'rental';
  const idem = `${keys[decision.what]}:${read.id}:${read.periodEndsAt.toISOString()}`;
  if (isNew) await query('delete from transactions where idem = $1', [idem]);
  await recordTransaction(query, {
    id,
    userId,
    livemode,
    type: decision.what === 'cancelled' ? cancelType(isRental) : isRental ? 'rental_create' : 'subscription_update',
    status: 'completed',
    description: decisionText(decision, what),
    serverId: isRental ? read.offerId : undefined,
    amount: 0,
    currency: read.currency,
    idem,
    at,
  });
}

const keys: Readonly<Record<Decision['what'], string>> = {
  cancelled: 'cancel',
  resumed: 'resume',
  kept: 'keep',
  changes: 'change',
};

const cancelType = (isRental: boolean): TransactionType => (isRental ? 'rental_cancel' : 'subscription_cancel');

function decisionText(decision: Decision, what: string): string {
  if (decision.what === 'changes') return `From the next period: ${decision.toPlan} plan`;
  return `${{ cancelled: 'Cancellation', resumed: 'Resumed', kept: 'Kept' }[decision.what]}: ${what}`;
}
