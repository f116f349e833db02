/** What can be paid for: a server's rental, a plan, or a credit package. */
export type OrderKind = 'rental' | 'plan' | 'credits';

export type OrderStatus =
  | 'open'
  /** Verified; what was bought is about to be there. */
  | 'paid'
  | 'fulfilled'
  | 'expired'
  | 'failed'
  /** What was paid is not what was ordered: an operator has to look. */
  | 'flagged'
  /** Paid, and about to be given back: another payment for the same thing is kept, or the account was deleted. */
  | 'duplicate'
  | 'refunded';

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
  /** Why it is flagged, failed or expired. */
  reason: string | undefined;
  createdAt: Date;
  /** Until when it can be paid. */
  expiresAt: Date;
};

/** The reason of an order that its person can no longer have: what is paid for it all the same is given back. */
export const accountDeleted = 'account deleted';

/** The key of the fact that an order was paid, for the ledger and the transactions: it counts once. */
export const keyOf = (order: Pick<Order, 'id'>): string => `order:${order.id}`;
