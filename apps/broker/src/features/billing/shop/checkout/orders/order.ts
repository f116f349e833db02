import type { TransactionType } from '@souk/contract/billing/billing-history.ts';

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

/** What a payment came to at the provider, in minor units: the total is the price, less the discount, with the tax. */
export type PaidTotals = { total: number; discount: number; tax: number };

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
  /** Of a plan: the servers that the person was told they rent and the plan includes. undefined: it is not known. */
  shownRentals: readonly string[] | undefined;
};

/** A payment page may do this beside taking the price of its order. */
export type OrderOptions = {
  /** The provider adds tax. */
  asksTax: boolean;
  /** The provider takes promotion codes. */
  allowsCodes: boolean;
};

/** A row that is written before the payment provider hears of anything. Its id is its name there. */
export type Order = Ordered &
  OrderOptions & {
    id: string;
    userId: string;
    livemode: boolean;
    successUrl: string;
    cancelUrl: string;
    sessionId: string | undefined;
    checkoutUrl: string | undefined;
    /** The payment provider gives it to a rental and a plan. */
    subscriptionId: string | undefined;
    paymentIntentId: string | undefined;
    status: OrderStatus;
    /** Why it is flagged, given back, failed or expired: the first reason stays. */
    reason: string | undefined;
    /** Why its payment is not back yet: for the operator. */
    trouble: string | undefined;
    /** Subscriptions of the provider that were not paid when it was, and that it takes the place of. */
    replaces: readonly string[];
    createdAt: Date;
    /** Until when it can be paid. */
    expiresAt: Date;
    /** The totals of its payment; undefined before it was paid. */
    paid: PaidTotals | undefined;
  };

/** Why a payment is given back. An open order may have the first five already: it can no longer be had. */
export const accountDeleted = 'account deleted';
export const notOffered = 'no longer offered';
export const priceChanged = 'price changed';
export const hadAccess = 'had access already';
/** The person was not asked about a rental that the plan includes. They read this in their history. */
export const overlapChanged = 'includes a rental that began meanwhile';
export const paidTwice = 'paid twice';
export const notAsOrdered = 'not what was ordered';

/** The reason as the buyer reads it: what differs is for the operator. */
export const toldReason = ({ reason = paidTwice }: Pick<Order, 'reason'>): string =>
  reason.startsWith(notAsOrdered) ? notAsOrdered : reason;

/** Of an open order: whatever is paid for it is given back. */
export const isWithdrawn = ({ reason }: Pick<Order, 'reason'>): boolean =>
  reason !== undefined && [accountDeleted, notOffered, priceChanged, hadAccess, overlapChanged].includes(reason);

/** The key of the fact that an order was paid, for the ledger and the transactions: it counts once. */
export const keyOf = (order: Pick<Order, 'id'>): string => `order:${order.id}`;

/** How the payment of an order stands in the history. */
export const transactionTypes: Readonly<Record<OrderKind, TransactionType>> = {
  credits: 'credit_purchase',
  plan: 'subscription_create',
  rental: 'rental_create',
};
