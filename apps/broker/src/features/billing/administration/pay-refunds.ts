import { withPatience } from '../shop/checkout/patience.ts';
import type { AccessRefund } from '../shop/refunds/refund-store.ts';
import type { AdministrationParts } from './administration-parts.ts';

/** pending: the payment provider did not answer, and a job retries. failed: it refused. */
export type RefundResult = { result: 'refunded' | 'pending' | 'failed'; amountCents: number; currency: string };

/**
 * Makes the refunds of access that was ended. Waits at most 12 s for the provider; a job makes the rest.
 * @returns results by the id of the access; null: nothing was paid for it
 */
export async function payRefunds(
  { payments, log }: Pick<AdministrationParts, 'payments' | 'log'>,
  accessIds: readonly string[],
): Promise<ReadonlyMap<string, RefundResult | null>> {
  if (!payments || accessIds.length === 0) return new Map();
  const { refunds } = payments;
  await withPatience(refunds.payAll(await refunds.find(accessIds))).catch((error: unknown) =>
    log.warn({ err: error }, 'refunds are not made yet; a job will retry'),
  );
  return new Map((await refunds.find(accessIds)).map((one) => [one.accessId, resultOf(one)]));
}

function resultOf({ state, amount: amountCents, currency }: AccessRefund): RefundResult | null {
  if (state === 'nothing_paid') return null;
  return { result: state === 'wanted' ? 'pending' : state, amountCents, currency };
}
