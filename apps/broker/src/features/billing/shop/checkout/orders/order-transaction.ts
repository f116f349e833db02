import type { TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';
import type { NewTransaction } from '../../record-transaction.ts';
import { invoiceOf, paidTotalsOf, type ProviderSession } from '../read-session.ts';
import { keyOf, type Order, type OrderKind } from './order.ts';

export const transactionTypes: Readonly<Record<OrderKind, TransactionType>> = {
  credits: 'credit_purchase',
  plan: 'subscription_create',
  rental: 'rental_create',
};

export const ownerOf = ({ userId, livemode, kind, itemId }: Order) => ({
  userId,
  livemode,
  serverId: kind === 'rental' ? itemId : undefined,
});

export function transactionOf(
  order: Order,
  session: ProviderSession,
  facts: { id: string; status: TransactionStatus; paymentIntentId: string | undefined; at: Date },
): NewTransaction {
  const { total: amount, discount, tax } = paidTotalsOf(session);
  const invoice = invoiceOf(session);
  return {
    ...ownerOf(order),
    ...facts,
    type: transactionTypes[order.kind],
    description: order.description,
    amount,
    discount,
    tax,
    currency: (session.currency ?? order.currency).toUpperCase(),
    receiptUrl: invoice?.receiptUrl,
    invoiceId: invoice?.id,
    idem: keyOf(order),
  };
}
