import { noticeDays } from '@souk/contract/admin/offers.ts';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import { readSubscription } from '../subscriptions/reading/read-subscription.ts';
import type { SyncSubscription } from '../subscriptions/sync-subscription.ts';
import type { Move, MoveItem } from './move-store.ts';

const noticeMs = noticeDays * 24 * 60 * 60_000;
/** So long before a renewal the provider is told of a lower price: what is left of a paid month is reckoned by the price that it has. */
const lateMs = 3 * 24 * 60 * 60_000;
const lookAgainMs = 60_000;

export type Outcome =
  | { status: 'moved'; appliesAt: Date }
  | { status: 'skipped'; why: string }
  | { status: 'queued'; dueAt: Date; appliesAt: Date };

/**
 * Moves one subscriber at the provider: their next invoice is reckoned by the new price, and nothing is charged or credited
 * now. What the provider has now decides: they may have left, or have another plan. May be repeated.
 * @throws SoukError payments_unavailable: call again later
 */
export async function moveSubscriber(
  given: { provider: PaymentProvider; sync: SyncSubscription; now(): number },
  { planId, priceId, amount, startedAt }: Move,
  { paymentId }: MoveItem,
  lock: PurchaseLock | undefined,
): Promise<Outcome> {
  const { provider, sync } = given;
  const read = await readSubscription(provider, paymentId);
  const skip = async (why: string): Promise<Outcome> => {
    await sync(paymentId, lock);
    return { status: 'skipped', why };
  };
  if (!read || read === 'missing' || read.endedAt) return skip('their plan has ended');
  if (read.cancelledAt) return skip('they canceled their plan');
  if (read.kind !== 'plan' || read.offerId !== planId) return skip('they have another plan by now');
  if (read.awaited) return skip('another plan of theirs waits for its payment');
  if (read.isGivenUp) return skip('they have not paid');
  const { periodEndsAt } = read;
  if (read.priceId !== priceId) {
    const isRise = read.amount === undefined || read.amount < amount;
    const tellFrom = new Date(periodEndsAt.getTime() - lateMs);
    if (read.amount !== undefined && read.amount > amount && given.now() < tellFrom.getTime())
      return { status: 'queued', dueAt: tellFrom, appliesAt: periodEndsAt };
    // a renewal that was nearer than the notice when the move began still costs what it did
    if (isRise && periodEndsAt.getTime() < startedAt.getTime() + noticeMs)
      return { status: 'queued', dueAt: lookAgainAt(periodEndsAt, given.now()), appliesAt: aMonthAfter(periodEndsAt) };
    // it names the price that is wanted, so that it may be sent twice
    const change = { items: [{ id: read.itemId, price: priceId }], proration_behavior: 'none' as const };
    await lock?.confirm();
    await provider.call((stripe) => stripe.subscriptions.update(paymentId, change));
  }
  await sync(paymentId, lock);
  return { status: 'moved', appliesAt: periodEndsAt };
}

/** After the renewal, which the provider may be late with. */
const lookAgainAt = (periodEndsAt: Date, nowMs: number) =>
  new Date(Math.max(periodEndsAt.getTime(), nowMs) + lookAgainMs);

/** As the provider reckons it: a month that has no such day ends earlier. */
function aMonthAfter(at: Date): Date {
  const next = new Date(at);
  next.setUTCMonth(next.getUTCMonth() + 1);
  if (next.getUTCDate() !== at.getUTCDate()) next.setUTCDate(0);
  return next;
}
