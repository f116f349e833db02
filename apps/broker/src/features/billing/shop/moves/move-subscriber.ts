import { noticeDays } from '@souk/contract/admin/offers.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import { readSubscription } from '../subscriptions/reading/read-subscription.ts';
import type { Move } from './move-store.ts';

const noticeMs = noticeDays * 24 * 60 * 60_000;
/**
 * Time before a renewal at which a lower price is sent to the provider, which prorates the rest of a paid month by the current
 * price.
 */
const leadMs = 3 * 24 * 60 * 60_000;
const retryMs = 60_000;

export type Outcome =
  | { status: 'moved'; appliesAt: Date }
  | { status: 'skipped'; why: string }
  | { status: 'queued'; dueAt: Date; appliesAt: Date };

/**
 * Moves one subscriber at the provider: the new price applies from the next invoice, and nothing is charged or credited now.
 * The provider's current state decides: they may have left, or have another plan. Repeatable.
 * @throws SoukError payments_unavailable: call again later
 */
export async function moveSubscriber(
  { provider, sync, clock }: Pick<ShopParts, 'provider' | 'sync' | 'clock'>,
  { planId, priceId, amount, startedAt }: Move,
  providerSubscriptionId: string,
  lock: PurchaseLock | undefined,
): Promise<Outcome> {
  const read = await readSubscription(provider, providerSubscriptionId);
  const skip = async (why: string): Promise<Outcome> => {
    await sync(providerSubscriptionId, lock);
    return { status: 'skipped', why };
  };
  if (!read || read === 'missing' || read.endedAt) return skip('their plan has ended');
  if (read.cancelledAt) return skip('they canceled their plan');
  if (read.kind !== 'plan' || read.offerId !== planId) return skip('they have another plan by now');
  if (read.awaited) return skip('their change to another plan waits for its payment');
  if (read.isGivenUp) return skip('they have not paid');
  const { periodEndsAt } = read;
  if (read.priceId !== priceId) {
    const isRise = read.amount === undefined || read.amount < amount;
    const sendFrom = new Date(periodEndsAt.getTime() - leadMs);
    if (read.amount !== undefined && read.amount > amount && clock.now() < sendFrom.getTime())
      return { status: 'queued', dueAt: sendFrom, appliesAt: periodEndsAt };
    // a renewal within the notice period after the start of the move still costs the old price
    if (isRise && periodEndsAt.getTime() < startedAt.getTime() + noticeMs)
      return { status: 'queued', dueAt: retryAt(periodEndsAt, clock.now()), appliesAt: aMonthAfter(periodEndsAt) };
    // the request names the new price, so it may be sent twice
    const change = { items: [{ id: read.itemId, price: priceId }], proration_behavior: 'none' as const };
    await lock?.confirm();
    await provider.call((stripe) => stripe.subscriptions.update(providerSubscriptionId, change));
  }
  await sync(providerSubscriptionId, lock);
  return { status: 'moved', appliesAt: periodEndsAt };
}

/** A moment after the renewal, which may be late. */
const retryAt = (periodEndsAt: Date, nowMs: number) => new Date(Math.max(periodEndsAt.getTime(), nowMs) + retryMs);

/** Adds a month as the provider does: a month without such a day ends earlier. */
function aMonthAfter(at: Date): Date {
  const next = new Date(at);
  next.setUTCMonth(next.getUTCMonth() + 1);
  if (next.getUTCDate() !== at.getUTCDate()) next.setUTCDate(0);
  return next;
}
