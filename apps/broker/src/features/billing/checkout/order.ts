import type { TransactionType } from '@souk/contract/billing-history.ts';

/** What can be paid for: a server's rental, a plan, or a credit package. */
export type OrderKind = 'rental' | 'plan' | 'credits';

export type OrderStatus =
  | 'open'
  /** Verified; what was bought is about to be there. */
  | 'paid'
  | 'fulfilled'
  | 'expired'
  | 'failed'
  /** What was paid is not what was ordered: an operator has to look. After a week it is given back. */
  | 'flagged'
  /** Paid, and about to be given back: `reason` says why. */
  | 'returning'
  | 'refunded'
  /** The operator has dealt with it in another way. */
  | 'closed';

/** What a person wants to pay for, with its price at the payment provider. */
export type Ordered = {
  kind: OrderKind;
  /** Id of the server, plan or package. */
  itemId: string;
  /** For the list of transactions. */
  description: string;
  priceId: string;
  /** Cents. */
  amount: number;
  /** Three capital letters. */
  currency: string;
  /** Of a package, with its bonus; else 0. */
  credits: number;
};

/** A row that is written before the payment provider hears of anything. Its id is its name there. */
export type Order = Ordered & {
  id: string;
  userId: string;
  livemode: boolean;
  successUrl: string;
  cancelUrl: string;
  sessionId: string | undefined;
  checkoutUrl: string | undefined;
  /** Of the payment provider, for a rental and a plan. */
  subscriptionId: string | undefined;
  paymentIntentId: string | undefined;
  status: OrderStatus;
  /** Why it is flagged, given back, failed or expired. */
  reason: string | undefined;
  createdAt: Date;
  /** Until when it can be paid. */
  expiresAt: Date;
};

/** Why a payment is given back. An open order may have the first four already: it can no longer be had. */
export const accountDeleted = 'account deleted';
export const notOffered = 'no longer offered';
export const priceChanged = 'price changed';
export const hadAccess = 'had access already';
export const paidTwice = 'paid twice';
export const notAsOrdered = 'not what was ordered';

/** Of an open order: whatever is paid for it is given back. */
export const isWithdrawn = ({ reason }: Pick<Order, 'reason'>): boolean =>
  reason !== undefined && [accountDeleted, notOffered, priceChanged, hadAccess].includes(reason);

/** The key of the fact that an order was paid, for the ledger and the transactions: it counts once. */
export const keyOf = (order: Pick<Order, 'id'>): string => `order:${order.id}`;

/** How the payment of an order stands in the history. */
export const transactionTypes: Readonly<Record<OrderKind, TransactionType>> = {
  credits: 'credit_purchase',
  plan: 'subscription_create',
  rental: 'rental_create',
};
