import type { Query } from '#platform/db/database.ts';
import { endChange, findChange } from '../changes/plan-change-store.ts';
import type { PaidInvoice } from './reading/read-invoices.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';

/**
 * Decides what became of changes of a plan that the provider has made: done, where it took what the person saw; else dropped.
 * @param invoices those that are recorded by this reading
 * @returns whether the subscription is as a dropped change has made it, and has to be set right (set-right.ts)
 */
export async function judgeChanges(
  query: Query,
  read: ProviderSubscription,
  invoices: readonly PaidInvoice[],
): Promise<boolean> {
  for (const { reason, changeId, due, asked } of invoices) {
    const decision = reason === 'update' && changeId !== undefined ? await findChange(query, changeId) : undefined;
    if (decision?.state !== 'open') continue;
    await endChange(query, decision.id, [due, asked].includes(decision.amountDue) ? 'done' : 'dropped');
  }
  if (read.changeId === undefined) return false;
  const made = await findChange(query, read.changeId);
  if (made?.state === 'open' && made.priceId === read.priceId) await endChange(query, made.id, 'done');
  return made?.state === 'dropped';
}
