import type { Query } from '#platform/db/database.ts';
import type { PaidInvoice } from '../reading/read-invoices.ts';
import type { ProviderSubscription } from '../reading/read-subscription.ts';

/**
 * Limits how long a subscription whose payment failed can be used. While the provider retries: through the unpaid period. Once
 * it has given up, or the next period is unpaid too: until the end of what was paid.
 */
export async function boundAccess(
  query: Query,
  read: ProviderSubscription,
  invoices: readonly PaidInvoice[],
): Promise<ProviderSubscription> {
  if (!read.pastDue) return read;
  const { rows } = await query<{ to: Date | null }>(
    'select max(covers_to) as to from subscription_invoices where payment_id = $1',
    [read.id],
  );
  const ends = [rows[0]?.to, ...invoices.map(({ covers }) => covers?.to)].filter((to) => to instanceof Date);
  const paidUntil = ends.toSorted((a, b) => a.getTime() - b.getTime()).at(-1) ?? read.periodStartsAt;
  const isSecond = read.periodStartsAt.getTime() > paidUntil.getTime();
  if (!read.isGivenUp && !isSecond) return read;
  return { ...read, periodEndsAt: paidUntil < read.periodEndsAt ? paidUntil : read.periodEndsAt };
}
