import type { Stripe } from 'stripe';
import { isRefusal, makeOnce, needsOwner } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import { changeName, decideChange, dropChange, findChange } from '../../changes/plan-change-store.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ChangeParts, PlannedChange, Target } from './planned-change.ts';

/**
 * Stores a planned change and makes it at the provider.
 * @returns paymentUrl: the page where the owner of the card confirms the payment; null: the change is made
 * @throws SoukError price_changed where the provider charged another amount, which is refunded; the provider's refusals
 */
export async function makeChange(
  parts: ChangeParts,
  userId: string,
  target: Target,
  { own, read, update, change, isNow }: PlannedChange,
  lock: PurchaseLock,
): Promise<{ paymentUrl: string | null }> {
  const { db, provider, sync, clock } = parts;
  const { query } = db;
  const id = parts.uuid();
  await decideChange(query, {
    id,
    userId,
    livemode: provider.livemode,
    providerSubscriptionId: own.providerSubscriptionId,
    fromPriceId: read.priceId,
    priceId: target.wantedPriceId,
    amountDue: change.amountDue,
    prorationDate: change.prorationDate ?? undefined,
    at: new Date(clock.now()),
  });
  const send = (behavior?: Behavior) => sendChange(parts, id, own.providerSubscriptionId, update, behavior);
  try {
    await lock.confirm();
    const paymentUrl = isNow ? await payNowOrLater(send) : await send().then(() => undefined);
    await sync(own.providerSubscriptionId, lock);
    if (paymentUrl !== undefined) return { paymentUrl };
  } catch (error) {
    // nothing was changed there
    if (isRefusal(error)) await dropChange(query, id);
    await sync(own.providerSubscriptionId, lock).catch(() => {});
    // perhaps only the answer was lost
    if ((await findChange(query, id))?.state !== 'done') throw error;
  }
  const decided = await findChange(query, id);
  // the subscription changed between our reading and the provider's work, so that the amount differs and is refunded
  if (decided?.state === 'dropped') throw new SoukError('price_changed');
  return { paymentUrl: null };
}

type Behavior = 'error_if_incomplete' | 'pending_if_incomplete';

const sendChange = (
  { provider }: ChangeParts,
  id: string,
  subscription: string,
  update: PlannedChange['update'],
  behavior: Behavior | undefined,
): Promise<Stripe.Subscription> =>
  makeOnce(
    provider,
    `change:${id}:${behavior ?? 'later'}`,
    (stripe, idempotencyKey) =>
      stripe.subscriptions.update(
        subscription,
        {
          ...update,
          ...(behavior && { payment_behavior: behavior }),
          metadata: { [changeName]: id },
          expand: ['latest_invoice'],
        },
        { idempotencyKey },
      ),
    async () => {
      const found = await provider.find((stripe) =>
        stripe.subscriptions.retrieve(subscription, { expand: ['latest_invoice'] }),
      );
      return found?.metadata[changeName] === id ? found : undefined;
    },
  );

/**
 * Charges an upgrade. If the owner of the card has to confirm the payment, nothing changes until they have.
 * @returns the page where they confirm; undefined: it is paid
 */
async function payNowOrLater(
  update: (behavior: Behavior) => Promise<Stripe.Subscription>,
): Promise<string | undefined> {
  try {
    await update('error_if_incomplete');
    return undefined;
  } catch (error) {
    if (!needsOwner(error)) throw error;
  }
  const { latest_invoice: invoice } = await update('pending_if_incomplete');
  if (typeof invoice !== 'object' || invoice?.status !== 'open') return undefined;
  return invoice.hosted_invoice_url ?? undefined;
}
