import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { AuditEntry } from '#platform/audit/audit-log.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { SoukError } from '#platform/errors.ts';
import { withPatience } from '../shop/checkout/patience.ts';
import { lockUser, noRefunds, type AdministrationParts } from './administration-parts.ts';
import { endAccess, type EndedAccess } from './end-access.ts';
import { payRefunds, type RefundResult } from './pay-refunds.ts';
import { isAllDisputed } from './read-refundable.ts';

export type AtProvider = 'none' | 'cancelled' | 'pending';
export type Removal = { message: string; atProvider: AtProvider; refund: RefundResult | null };

/**
 * Ends a user's access now, with an audit row. A paid subscription is cancelled at the payment provider afterwards; a job
 * retries while the provider does not answer. With `refund` prorata, the unused time is refunded.
 * @throws SoukError not_found; payments_off where a refund cannot be made here; refund_impossible where it is disputed
 */
export async function removeAccess(
  parts: AdministrationParts,
  userId: string,
  id: string,
  { refund, ...by }: DecidedBy & { refund: 'none' | 'prorata' },
): Promise<Removal> {
  const { db, livemode, access, clock, payments } = parts;
  const nowMs = clock.now();
  const removed = await db.transaction(async (query) => {
    await lockUser(parts, query, userId);
    const [found] = await endAccess(query, { livemode, nowMs }, { userId, id });
    if (!found) throw new SoukError('not_found', { message: 'This user has no such subscription' });
    const { providerSubscriptionId } = found;
    const isRefunded = refund === 'prorata' && providerSubscriptionId !== undefined;
    if (isRefunded) {
      if (!payments) throw noRefunds();
      if (await isAllDisputed(query, providerSubscriptionId, new Date(nowMs))) {
        const message =
          'The payment for the unused time is disputed, and the bank holds the money, so it cannot be refunded. Remove it without a refund.';
        throw new SoukError('refund_impossible', { message });
      }
      await payments.refunds.want(query, [{ ...found, providerSubscriptionId }], new Date(nowMs));
    }
    await writeAuditWith(query, removalEntry(found, by, { livemode, isRefunded }), new Date(nowMs));
    return found;
  });
  await access.announce(userId);
  const atProvider = await endAtProvider(parts, removed.providerSubscriptionId);
  const refunds = refund === 'prorata' ? await payRefunds(parts, [removed.id]) : undefined;
  const paidBack = refunds?.get(removed.id) ?? null;
  const message = messageOf(removed, atProvider, refund === 'none' ? undefined : paidBack);
  return { message, atProvider, refund: paidBack };
}

export function removalEntry(
  { id, userId, kind, of, providerSubscriptionId }: EndedAccess,
  by: DecidedBy,
  { livemode, isRefunded }: { livemode: boolean; isRefunded: boolean },
): AuditEntry {
  return {
    actorId: actorOf(by),
    action: 'access.removed',
    subject: userId,
    reason: by.reason ?? (kind === 'rental' ? 'Rental cancelled by admin' : 'Removed by admin'),
    details: {
      id,
      type: kind,
      of,
      ...(providerSubscriptionId !== undefined && { paymentId: providerSubscriptionId }),
      ...(isRefunded && { refund: 'prorata' }),
      sandbox: !livemode,
      ...operatorOf(by),
    },
  };
}

const ofRefund: Record<RefundResult['result'], string> = {
  refunded: ' The unused time was refunded.',
  pending: ' The unused time will be refunded as soon as the payment provider answers.',
  failed: ' The payment provider refused the refund: look at the payment there.',
};

/** @param refund undefined: none was asked for */
function messageOf({ kind }: EndedAccess, atProvider: AtProvider, refund: RefundResult | null | undefined): string {
  const later = ' The payment provider does not answer right now. The cancellation will be retried automatically.';
  const nothing = ' Nothing was paid for the unused time.';
  const paidBack = refund === undefined ? '' : refund === null ? nothing : ofRefund[refund.result];
  return `The ${kind} has ended.${atProvider === 'pending' ? later : ''}${paidBack}`;
}

/** Cancels a subscription at the payment provider now. `pending`: it did not answer, and a job will retry. */
export async function endAtProvider(
  { payments, log }: Pick<AdministrationParts, 'payments' | 'log'>,
  id: string | undefined,
): Promise<AtProvider> {
  if (id === undefined) return 'none';
  if (!payments) return 'pending';
  try {
    await withPatience(payments.subscriptions.endNow(id));
    return 'cancelled';
  } catch (error) {
    log.warn({ err: error, subscription: id }, 'a removed subscription is not canceled at the provider yet');
    return 'pending';
  }
}
