import type { TransactionType } from '@souk/contract/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
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
  const { reason, period, change, amount, currency, receiptUrl, paymentIntentId, paidAt } = invoice;
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
  const { id, paymentIntentId, paidAt, amount, currency, covers } = invoice;
  const { rows } = await query<{ is_new: boolean }>(
    `insert into subscription_invoices as i
       (invoice_id, payment_id, payment_intent_id, recorded_at, amount, currency, covers_from, covers_to)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (invoice_id) do update set amount = excluded.amount, currency = excluded.currency,
       covers_from = excluded.covers_from, covers_to = excluded.covers_to where i.amount is null
     returning xmax = 0 as is_new`,
    [id, paymentId, paymentIntentId ?? null, paidAt, amount, currency, covers?.from ?? null, covers?.to ?? null],
  );
  return rows[0]?.is_new ?? false;
}

/** Of the plan that the invoice names, which may have changed since. */
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
  if (!plan || plan.monthlyCredits === 0) return;
  await grantCredits(query, {
    userId,
    livemode,
    credits: plan.monthlyCredits,
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
  const difference = (to?.monthlyCredits ?? 0) - (from?.monthlyCredits ?? 0);
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

/** Once for each period: resumed and cancelled again, it is the same fact. */
export async function recordCancel(
  query: Query,
  { userId, livemode, read, what, id, at }: Owner & { id: string; at: Date },
): Promise<void> {
  const type: TransactionType = read.kind === 'rental' ? 'rental_cancel' : 'subscription_cancel';
  await recordTransaction(query, {
    id,
    userId,
    livemode,
    type,
    status: 'completed',
    description: `Cancellation: ${what}`,
    serverId: read.kind === 'rental' ? read.offerId : undefined,
    amount: 0,
    currency: read.currency,
    idem: `cancel:${read.id}:${read.periodEndsAt.toISOString()}`,
    at,
  });
}
