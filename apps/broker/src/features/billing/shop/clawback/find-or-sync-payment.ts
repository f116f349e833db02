import { idOf } from '../id-of.ts';
import { findPayment, findUnrecorded, type KnownPayment } from './find-payment.ts';
import type { ClawbackParts } from './clawback-parts.ts';

/**
 * Finds the payment that a refund or a dispute is about; records it first where its subscription has not been read yet.
 * @param facts for the log
 * @throws where checkout has not recorded the payment yet: call again later
 */
export async function findOrSyncPayment(
  { db, provider, sync, log }: ClawbackParts,
  intent: string | { id: string } | null,
  facts: Record<string, unknown>,
): Promise<KnownPayment | undefined> {
  const id = idOf(intent);
  if (id === undefined) return undefined;
  const known = await findPayment(db.query, id);
  if (known) return known;
  const customer = idOf((await provider.find((stripe) => stripe.paymentIntents.retrieve(id)))?.customer);
  if (customer === undefined) return undefined;
  const unrecorded = await findUnrecorded(db.query, customer);
  for (const one of unrecorded.subscriptionIds) await sync(one);
  const recorded = await findPayment(db.query, id);
  if (recorded) return recorded;
  if (unrecorded.hasOpenOrders) throw new Error(`the payment ${id} is not recorded yet`);
  log.warn({ ...facts, paymentIntent: id }, 'a payment that is not in the history was refunded or disputed');
  return undefined;
}
