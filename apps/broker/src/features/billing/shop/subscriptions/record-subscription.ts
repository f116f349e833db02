import type { TransactionType } from '@souk/contract/billing/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { creditsOfPeriod, creditsOfPrice } from '../prices/plan-prices.ts';
import { grantCredits } from '../../credits/accounts/change-credits.ts';
import { recordTransaction } from '../record-transaction.ts';
import type { PaidInvoice } from './reading/read-invoices.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';
import { readPlan } from '../offers/offer-rows.ts';

type Owner = {
  userId: string;
  livemode: boolean;
  read: ProviderSubscription;
  /** Name of what is paid for, as users know it: "Pro plan". */
  what: string;
};

/** Idempotency key of a paid invoice, in the ledger and the history. */
const invoiceKey = (invoiceId: string): string => `invoice:${invoiceId}`;

/**
 * Grants the monthly credits of the plan whose period an invoice pays for, and records the payment in the history. The first
 * invoice is in the history as the order that it paid.
 * @param isOwed the payment is refunded: nothing is granted for it
 */
export async function recordInvoice(
  query: Query,
  { uuid, log }: { uuid: () => string; log: Log },
  { userId, livemode, read, what, invoice, isOwed }: Owner & { invoice: PaidInvoice; isOwed: boolean },
): Promise<void> {
  const { reason, period, change, amount, tax, discount, currency, receiptUrl, paymentIntentId, paidAt } = invoice;
  if (isOwed)
    log.warn({ subscription: read.id, invoiceId: invoice.id }, 'an invoice was paid for which nothing is granted');
  // a change of plan may start a new period
  else if (period && !change) await grantMonthly(query, log, { userId, livemode }, invoice);
  else await grantDifference(query, { userId, livemode, read, invoice });
  if (reason === 'create') {
    // a refund or a dispute names the payment, which is not in the history yet
    await query(
      `update transactions set payment_intent_id = coalesce(payment_intent_id, $2), receipt_url = coalesce(receipt_url, $3)
       where invoice_id = $1`,
      [invoice.id, paymentIntentId ?? null, receiptUrl ?? null],
    );
    return;
  }
  // the subscription may have another plan by now
  const planId = change?.toPlanId ?? period?.planId;
  const paidPlan = planId === undefined ? undefined : await readPlan(query, planId);
  const paidFor = paidPlan ? `${paidPlan.name} plan` : what;
  await recordTransaction(query, {
    id: uuid(),
    userId,
    livemode,
    type: read.kind === 'rental' ? 'rental_create' : 'subscription_update',
    status: 'completed',
    description: reason === 'cycle' ? `Renewal: ${paidFor}` : `Change of plan: ${paidFor}`,
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

/** Grants the credits of the price that the invoice names: the plan may have another one since. */
async function grantMonthly(
  query: Query,
  log: Log,
  { userId, livemode }: Pick<Owner, 'userId' | 'livemode'>,
  { id: invoiceId, period }: PaidInvoice,
): Promise<void> {
  if (period?.planId === undefined) return;
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
 * Grants the difference of the month's credits for the rest of the period when a higher plan is paid, rounded up, under the id
 * of its invoice: a refund of that claws them back.
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
  // by time, even if nothing had to be paid for the rest
  const periodFrom =
    covers.to.getTime() === read.periodEndsAt.getTime() ? read.periodStartsAt : aMonthBefore(covers.to);
  const share = (covers.to.getTime() - covers.from.getTime()) / (covers.to.getTime() - periodFrom.getTime());
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

/** Start of a period that is over by now: plans are paid by the month. */
function aMonthBefore(at: Date): Date {
  const before = new Date(at);
  before.setUTCMonth(before.getUTCMonth() - 1);
  if (before.getUTCDate() !== at.getUTCDate()) before.setUTCDate(0);
  return before;
}

/** A decision of the owner about a subscription that costs nothing by itself. */
export type Decision = { what: 'cancelled' | 'resumed' | 'kept' } | { what: 'changes'; toPlan: string };

/**
 * Records a decision in the history, once for each period. A decision that is repeated after another one gets the new time, so
 * that the newest row applies, and clicks back and forth add no rows.
 * @param isNew the previous reading did not find it
 */
export async function recordDecision(
  query: Query,
  one: Owner & { id: string; at: Date; decision: Decision; isNew: boolean },
): Promise<void> {
  const { read, decision, userId, livemode, id, at } = one;
  const isRental = read.kind === 'rental';
  const idem = `${keys[decision.what]}:${read.id}:${read.periodEndsAt.toISOString()}`;
  if (one.isNew) await query('delete from transactions where idem = $1', [idem]);
  await recordTransaction(query, {
    id,
    userId,
    livemode,
    type: decision.what === 'cancelled' ? cancelType(isRental) : isRental ? 'rental_create' : 'subscription_update',
    status: 'completed',
    description: decisionText(decision, one.what),
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
