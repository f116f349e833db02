import type { Query } from '#platform/db/database.ts';
import { endChange, findChange } from '../changes/plan-change-store.ts';
import type { PaidInvoice } from './reading/read-invoices.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';

/**
 * Decides the outcome of plan changes that the provider has made: done, where it charged what the user saw; else dropped.
 * @param invoices those that this reading records
 * @returns whether the subscription has a dropped change, which has to be undone (undo-dropped-change.ts)
 */
export async function judgeChanges(
  query: Query,
  read: ProviderSubscription,
  invoices: readonly PaidInvoice[],
): Promise<boolean> {
  for (const { reason, changeId, due, charged } of invoices) {
    const decision = reason === 'update' && changeId !== undefined ? await findChange(query, changeId) : undefined;
    if (decision?.state !== 'open') continue;
    await endChange(query, decision.id, [due, charged].includes(decision.amountDue) ? 'done' : 'dropped');
  }
  if (read.changeId === undefined) return false;
  const made = await findChange(query, read.changeId);
  if (made?.state === 'open' && made.priceId === read.priceId) await endChange(query, made.id, 'done');
  return made?.state === 'dropped';
}
