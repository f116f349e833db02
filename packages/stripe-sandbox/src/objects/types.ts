import type Stripe from 'stripe';
import type { List, Narrow, Wire } from './wire.ts';

/** Stored and returned objects: the SDK's types, with ids where Stripe may return whole objects. */
export type Customer = Narrow<
  Stripe.Customer,
  {
    test_clock: string | null;
    next_invoice_sequence: number;
    currency: string | null;
    invoice_settings: InvoiceSettings;
  }
>;
export type InvoiceSettings = Narrow<Stripe.Customer.InvoiceSettings, { default_payment_method: string | null }>;
export type Account = Narrow<Stripe.Account, { settings: Wire<Stripe.Account.Settings> }>;
export type InvoiceItem = Narrow<Stripe.InvoiceItem, { customer: string; invoice: string | null }>;
export type PortalSession = Narrow<Stripe.BillingPortal.Session, { customer: string; return_url: string | null }>;

export type BalanceTransaction = Narrow<Stripe.CustomerBalanceTransaction, { customer: string }>;
export type Product = Narrow<Stripe.Product, { type: 'service' }>;
export type Interval = 'day' | 'week' | 'month' | 'year';
export type Price = Narrow<
  Stripe.Price,
  { product: string; unit_amount: number; type: 'one_time' | 'recurring'; recurring: Recurring | null }
>;
export type Recurring = Narrow<Stripe.Price.Recurring, { interval: Interval }>;
export type CheckoutSession = Narrow<
  Stripe.Checkout.Session,
  {
    amount_total: number;
    currency: string;
    customer: string | null;
    invoice: string | null;
    mode: 'payment' | 'subscription';
    payment_intent: string | null;
    payment_status: 'paid' | 'unpaid' | 'no_payment_required';
    status: 'open' | 'complete' | 'expired';
    subscription: string | null;
    success_url: string;
  }
>;
export type Coupon = Narrow<Stripe.Coupon, { duration: 'forever' | 'once' | 'repeating' }>;
export type PromotionCode = Narrow<
  Stripe.PromotionCode,
  { customer: string | null; promotion: { type: 'coupon'; coupon: string } }
>;
export type Discount = Narrow<
  Stripe.Discount,
  { customer: string | null; promotion_code: string | null; source: { type: 'coupon'; coupon: string } }
>;
export type LineItem = Narrow<Stripe.LineItem, { price: Price; quantity: number }>;
export type PaymentMethod = Narrow<Stripe.PaymentMethod, { customer: string | null }>;
export type PaymentIntent = Narrow<
  Stripe.PaymentIntent,
  {
    customer: string | null;
    latest_charge: string | null;
    payment_method: string | null;
    status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
  }
>;
export type Charge = Narrow<
  Stripe.Charge,
  { customer: string | null; payment_intent: string; status: 'succeeded' | 'pending' | 'failed' }
>;
export type Refund = Narrow<
  Stripe.Refund,
  { charge: string; payment_intent: string; status: 'succeeded' | 'failed' | 'canceled' }
>;
export type Dispute = Narrow<
  Stripe.Dispute,
  {
    charge: string;
    payment_intent: string;
    status:
      | 'warning_needs_response'
      | 'warning_closed'
      | 'needs_response'
      | 'under_review'
      | 'won'
      | 'lost'
      | 'prevented';
  }
>;
export type SubscriptionItem = Narrow<Stripe.SubscriptionItem, { price: Price; quantity: number }>;
/** A change that applies once its invoice is paid. */
export type PendingUpdate = Narrow<Stripe.Subscription.PendingUpdate, { subscription_items: SubscriptionItem[] }>;
export type Subscription = Narrow<
  Stripe.Subscription,
  {
    customer: string;
    default_payment_method: string | null;
    discounts: string[];
    items: List<SubscriptionItem>;
    latest_invoice: string | null;
    pending_update: PendingUpdate | null;
    status: 'active' | 'past_due' | 'unpaid' | 'paused' | 'canceled';
    test_clock: string | null;
  }
>;
export type InvoiceLine = Narrow<Stripe.InvoiceLineItem, { subscription: string | null; quantity: number }>;
export type InvoicePayment = Narrow<Stripe.InvoicePayment, { invoice: string; status: 'open' | 'paid' }>;
export type Invoice = Narrow<
  Stripe.Invoice,
  {
    customer: string;
    lines: List<InvoiceLine>;
    status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
    test_clock: string | null;
    default_payment_method: string | null;
  }
>;
export type WebhookEndpoint = Narrow<Stripe.WebhookEndpoint, { status: 'enabled' | 'disabled' }>;
export type TestClock = Narrow<Stripe.TestHelpers.TestClock, { status: 'ready' }>;
export type EventType = Stripe.Event.Type;
export type SandboxEvent = Narrow<
  Stripe.EventBase,
  { type: EventType; data: { object: object; previous_attributes?: object } }
>;

export type Metadata = Wire<Stripe.Metadata>;

/** Internal state of a checkout session. */
export type SessionMemory = {
  items: LineItem[];
  intentMetadata: Metadata;
  subscriptionMetadata: Metadata;
  invoiceMetadata: Metadata;
  /** Number of declined cards, which is limited. */
  refusals: number;
  /** Payment intent of the attempts so far. */
  intent: string | null;
  /** Payment method that awaits 3-D Secure. */
  waiting: string | null;
  /** Billing address, which determines the tax. */
  address?: BillingAddress;
  taxId?: string;
  /** Id of the applied promotion code. */
  promotionCode?: string;
  /** Id of the resulting discount. */
  discount?: string;
  updates?: { address: boolean; name: boolean };
};

/** Parts of an address that the sandbox's pages ask for. */
export type BillingAddress = { country: string; postalCode: string };

/** Dashboard settings of the account that the API does not expose. */
export type AccountMemory = {
  /** Action after the last declined attempt of a renewal. */
  afterLastRetry: 'cancel' | 'unpaid' | 'past_due' | 'paused';
  /** Billing mode of new subscriptions. */
  billingMode: 'classic' | 'flexible';
  /** Enabled payment method types. */
  paymentMethods: readonly PaymentMethodType[];
  /** Absent: set up and registered. */
  tax?: 'pending' | 'unregistered';
};
export type PaymentMethodType = 'card' | 'sepa_debit';
/** Card details entered on a page. The number is that of a test card. */
export type PayerCard = { number: string; expMonth: number; expYear: number; name: string; email: string };

/** Internal state of a subscription. */
export type SubscriptionMemory = {
  /** Prorations for the next invoice. */
  waiting: InvoiceLine[];
  /** Discount of the current period's invoice. Credits for unused time are reduced by it. */
  invoicedWith?: string | undefined;
};

/** A webhook that is not delivered yet. */
export type Delivery = { id: string; object: 'delivery'; event: string; endpoint: string; attempts: number };

/** Stored response, possibly a server error, to a request with an Idempotency-Key. */
export type KeptAnswer = {
  id: string;
  object: 'kept_answer';
  parameters: string;
  answer: string;
  /** Default: 200. */
  status?: number;
  /** Id of the original request. */
  request?: string;
};

/** Kinds of rows by the `object` field of their body. */
export type Kinds = {
  customer: Customer;
  product: Product;
  price: Price;
  'checkout.session': CheckoutSession;
  payment_method: PaymentMethod;
  payment_intent: PaymentIntent;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
  subscription: Subscription;
  invoice: Invoice;
  invoice_payment: InvoicePayment;
  event: SandboxEvent;
  webhook_endpoint: WebhookEndpoint;
  'test_helpers.test_clock': TestClock;
  delivery: Delivery;
  kept_answer: KeptAnswer;
  account: Account;
  invoiceitem: InvoiceItem;
  'billing_portal.session': PortalSession;
  coupon: Coupon;
  promotion_code: PromotionCode;
  discount: Discount;
  customer_balance_transaction: BalanceTransaction;
};
export type Kind = keyof Kinds;

type OwnMemories = {
  'checkout.session': SessionMemory;
  subscription: SubscriptionMemory;
  payment_method: { card: string };
  event: { delivered: boolean };
  webhook_endpoint: { secret: string };
  account: AccountMemory;
  customer: { deleted?: true; taxId?: string | undefined };
  payment_intent: { session?: string };
};
/** Internal state stored with a body and never returned. */
export type Memories = { [K in Kind]: K extends keyof OwnMemories ? OwnMemories[K] : Record<never, never> };
