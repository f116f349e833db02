import type { PaymentSession } from '@souk/contract/payments.ts';
import type { Payment } from './fulfilment.ts';
import type { OrderKind, OrderStatus } from './order.ts';

const types = { rental: 'rental', plan: 'subscription', credits: 'credits' } as const satisfies Record<
  OrderKind,
  PaymentSession['metadata']['type']
>;

const statuses = ['open', 'complete', 'expired'] as const;

/** `paid` only where what was bought is there. What an operator has to look at, and what is on its way, is neither. */
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

/** A payment as its owner sees it (specification part 1, section 3). */
export function presentPayment({ order, session }: Payment): PaymentSession {
  return {
    sessionId: session.id,
    status: statuses.find((one) => one === session.status) ?? 'open',
    paymentStatus: paymentStatuses[order.status],
    amountTotal: session.amount_total ?? order.amount,
    currency: (session.currency ?? order.currency).toUpperCase(),
    customerEmail: session.customer_details?.email ?? session.customer_email,
    metadata: { type: types[order.kind], mcpId: order.kind === 'rental' ? order.itemId : null },
  };
}
