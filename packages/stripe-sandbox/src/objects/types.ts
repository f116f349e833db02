import type Stripe from 'stripe';
import type { List, Narrow, Wire } from './wire.ts';

/** What we store and answer: the SDK's own types, with ids where Stripe may also send whole objects. */
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
/** A change that is made once its invoice is paid. */
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

/** What a checkout session remembers beside what it shows. */
export type SessionMemory = {
  items: LineItem[];
  intentMetadata: Metadata;
  subscriptionMetadata: Metadata;
  invoiceMetadata: Metadata;
  /** Cards that were refused; a page ends at a number of them. */
  refusals: number;
  /** The payment intent of the tries so far. */
  intent: string | null;
  /** The payment method whose bank asks for 3-D Secure. */
  waiting: string | null;
  /** Where the payer says they live: what tax is reckoned by. */
  address?: BillingAddress;
  taxId?: string;
  /** Id of the promotion code that was applied. */
  promotionCode?: string;
  /** Id of the discount that the code became. */
  discount?: string;
  updates?: { address: boolean; name: boolean };
};

/** What the pages of the sandbox ask of an address. */
export type BillingAddress = { country: string; postalCode: string };

/** What a Stripe account is set to in its dashboard, which the API does not tell. */
export type AccountMemory = {
  /** What becomes of a subscription after the last refusal of its renewal. */
  afterLastRetry: 'cancel' | 'unpaid' | 'past_due' | 'paused';
  /** The billing mode of new subscriptions. */
  billingMode: 'classic' | 'flexible';
  /** What of the methods of the sandbox is switched on. */
  paymentMethods: readonly PaymentMethodType[];
  /** Without it: set up, and registered somewhere. */
  tax?: 'pending' | 'unregistered';
};
export type PaymentMethodType = 'card' | 'sepa_debit';
/** What a person types into a page. The number is that of a test card. */
export type PayerCard = { number: string; expMonth: number; expYear: number; name: string; email: string };

/** Amounts of a change in mid-period that wait for the next invoice. */
export type SubscriptionMemory = {
  waiting: InvoiceLine[];
  /** The discount that the running period was invoiced with: what is given back of it is reckoned with it too. */
  invoicedWith?: string | undefined;
};

/** A webhook that has not been delivered yet. */
export type Delivery = { id: string; object: 'delivery'; event: string; endpoint: string; attempts: number };

/** The answer to a request with an Idempotency-Key, an error of the server too. */
export type KeptAnswer = {
  id: string;
  object: 'kept_answer';
  parameters: string;
  answer: string;
  /** Without one: 200. */
  status?: number;
  /** Id of the request that was answered so. */
  request?: string;
};

/** Every kind of row, by the `object` of its body. */
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

/** What is stored beside a body and never answered. */
export type Memories = {
  [K in Kind]: K extends 'checkout.session'
    ? SessionMemory
    : K extends 'subscription'
      ? SubscriptionMemory
      : K extends 'payment_method'
        ? { card: string }
        : K extends 'event'
          ? { delivered: boolean }
          : K extends 'webhook_endpoint'
            ? { secret: string }
            : K extends 'account'
              ? AccountMemory
              : K extends 'customer'
                ? { deleted?: true; taxId?: string | undefined }
                : K extends 'payment_intent'
                  ? { session?: string }
                  : Record<never, never>;
};
