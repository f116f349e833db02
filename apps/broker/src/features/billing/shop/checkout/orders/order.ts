export type OrderKind = 'rental' | 'plan' | 'credits';

export type OrderStatus =
  | 'open'
  /** Verified, not delivered yet. */
  | 'paid'
  | 'fulfilled'
  | 'expired'
  | 'failed'
  /** The payment does not match the order: an operator has to look. It is refunded after a week. */
  | 'flagged'
  /** Paid, and about to be refunded: `reason` says why. */
  | 'returning'
  | 'refunded'
  /** The operator has dealt with it another way. */
  | 'closed';

/** The totals of a payment at the provider, in minor units: `total` is the price less the discount plus the tax. */
export type PaidTotals = { total: number; discount: number; tax: number };

/** The item that a user wants to pay for, with its price at the payment provider. */
export type Ordered = {
  kind: OrderKind;
  /** Id of the server, plan or package. */
  itemId: string;
  description: string;
  priceId: string;
  /** Cents. */
  amount: number;
  /** Three capital letters. */
  currency: string;
  /** Credits of a package with its bonus; 0 for the others. */
  credits: number;
  /** Servers that the page of a plan listed as rented and included. undefined: unknown. */
  shownRentals: readonly string[] | undefined;
};

/** Options of the payment page of an order. */
export type OrderOptions = {
  asksTax: boolean;
  allowsCodes: boolean;
};

/** A row that is written before the first request to the payment provider, which gets its id as a reference. */
export type Order = Ordered &
  OrderOptions & {
    id: string;
    userId: string;
    livemode: boolean;
    successUrl: string;
    cancelUrl: string;
    sessionId: string | undefined;
    checkoutUrl: string | undefined;
    /** The provider's subscription, for a rental or a plan. */
    subscriptionId: string | undefined;
    paymentIntentId: string | undefined;
    status: OrderStatus;
    /** Why it is flagged, refunded, failed or expired. */
    reason: string | undefined;
    /** Why its payment is not refunded yet: for the operator. */
    trouble: string | undefined;
    /** Unpaid subscriptions at the provider that this order replaces. */
    replaces: readonly string[];
    createdAt: Date;
    expiresAt: Date;
    paid: PaidTotals | undefined;
  };

/** Why a payment is refunded. The first five also mark an open order that is withdrawn. */
export const accountDeleted = 'account deleted';
export const notOffered = 'no longer offered';
export const priceChanged = 'price changed';
export const hadAccess = 'had access already';
/** The user was not asked about a rental that the plan includes. They read this in their history. */
export const overlapChanged = 'includes a rental that began meanwhile';
export const paidTwice = 'paid twice';
export const notAsOrdered = 'not what was ordered';

/** The reason as the buyer reads it: the differences are for the operator. */
export const shownReason = ({ reason = paidTwice }: Pick<Order, 'reason'>): string =>
  reason.startsWith(notAsOrdered) ? notAsOrdered : reason;

/** Whether an open order is withdrawn: a payment for it is refunded. */
export const isWithdrawn = ({ reason }: Pick<Order, 'reason'>): boolean =>
  reason !== undefined && [accountDeleted, notOffered, priceChanged, hadAccess, overlapChanged].includes(reason);

/** Idempotency key of an order's payment, in the ledger and the transactions. */
export const keyOf = (order: Pick<Order, 'id'>): string => `order:${order.id}`;
