import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { totalsOf } from '@souk/contract/billing/totals.ts';
import type { Payment } from './fulfilment.ts';
import {
  hadAccess,
  notOffered,
  overlapChanged,
  paidTwice,
  priceChanged,
  type OrderKind,
  type OrderStatus,
} from '../orders/order.ts';
import { totalsOfSession } from '../read-session.ts';

const types = { rental: 'rental', plan: 'subscription', credits: 'credits' } as const satisfies Record<
  OrderKind,
  PaymentSession['metadata']['type']
>;

const statuses = ['open', 'complete', 'expired'] as const;

/** `paid` only where the purchase is delivered; not while it is in progress or an operator has to look at it. */
const paymentStatuses: Record<OrderStatus, PaymentSession['paymentStatus']> = {
  open: 'unpaid',
  paid: 'unpaid',
  fulfilled: 'paid',
  expired: 'unpaid',
  failed: 'failed',
  flagged: 'unpaid',
  returning: 'refunded',
  refunded: 'refunded',
  closed: 'unpaid',
};

/** Reasons that the buyer sees; the others are for the operator. */
const reasons = new Map<string | undefined, PaymentSession['reason']>([
  [notOffered, 'no_longer_offered'],
  [priceChanged, 'price_changed'],
  [hadAccess, 'had_access'],
  [overlapChanged, 'overlap_changed'],
  [paidTwice, 'paid_twice'],
]);

/** A payment as its owner sees it (specification part 1, section 3). */
export function presentPayment({ order, session }: Payment): PaymentSession {
  const amountTotal = session.amount_total ?? order.amount;
  const totals = totalsOf(amountTotal, totalsOfSession(session));
  return {
    sessionId: session.id,
    status: statuses.find((one) => one === session.status) ?? 'open',
    paymentStatus: paymentStatuses[order.status],
    reason: reasons.get(order.reason) ?? null,
    planId: order.kind === 'plan' ? order.itemId : null,
    amountTotal,
    currency: (session.currency ?? order.currency).toUpperCase(),
    ...(totals && { totals }),
    customerEmail: session.customer_details?.email ?? session.customer_email,
    metadata: { type: types[order.kind], mcpId: order.kind === 'rental' ? order.itemId : null },
  };
}
