import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ownedStatusSchema } from './billing.ts';
import { totalsSchema } from './totals.ts';

const needSession = ['authentication_required', 'unauthenticated'] as const;
const isoTime = z.iso.datetime();

/**
 * Where the payment page leads back to. Only addresses of this installation at /payment/result are taken; the broker adds
 * session_id. Without them it builds its own.
 */
const returnAddresses = { successUrl: z.string().max(500).optional(), cancelUrl: z.string().max(500).optional() };
/** Cents that the page showed: another price by now is `price_changed`, and nothing is started. */
const shownAmount = z.int().optional();
/** Whether the page said that the service is down: one that went down since is `service_down`, and nothing is started. */
const shownDown = z.boolean().optional();
/**
 * Services that the person rents and the plan includes: their rentals end with the period that is paid, once the plan is paid.
 * Without them every rental goes on.
 */
const endRentals = z.array(z.string().max(63)).max(100).optional();
/**
 * Services that the page named as rented and included in the plan: where the person pays for the rental of another one by now, it
 * is `overlap_changed`, and nothing is started. Where such a rental begins later, the payment page is closed.
 */
const shownRentals = z.array(z.string().max(63)).max(100).optional();
const checkoutAnswer = z.object({
  success: z.literal(true),
  /** The payment provider's page, where the browser goes next. */
  checkoutUrl: z.string(),
  sessionId: z.string(),
});
const checkoutErrors = [
  'invalid_request',
  'free_plan',
  'plan_not_found',
  'not_found',
  'has_access',
  'price_changed',
  'service_down',
  'overlap_changed',
  'payment_under_way',
  'change_under_way',
  'payments_off',
  'payments_unavailable',
  'payment_refused',
  'rate_limited',
  ...needSession,
] as const;

export const startCheckout = endpoint({
  id: 'startCheckout',
  method: 'POST',
  path: '/api/billing/checkout',
  summary: 'Starts the payment of a rental, a plan or a credit package',
  access: 'account',
  body: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('rental'),
      mcpId: z.string().max(63),
      period: z.literal('monthly'),
      shownAmount,
      shownDown,
      ...returnAddresses,
    }),
    z.strictObject({ type: z.literal('credit'), planId: z.string().max(100), shownAmount, ...returnAddresses }),
    z.strictObject({
      type: z.literal('subscription'),
      planId: z.string().max(100),
      shownAmount,
      endRentals,
      shownRentals,
      ...returnAddresses,
    }),
  ]),
  invalidInputAt: { type: 'unsupported_purchase', period: 'unsupported_purchase' },
  answer: checkoutAnswer,
  errors: [...checkoutErrors, 'unsupported_purchase'],
});

export const purchaseCredits = endpoint({
  id: 'purchaseCredits',
  method: 'POST',
  path: '/api/billing/credits/purchase',
  summary: 'Starts the payment of a credit package, by its price',
  access: 'account',
  body: z.strictObject({ stripePriceId: z.string().max(255), ...returnAddresses }),
  answer: checkoutAnswer,
  errors: checkoutErrors,
});

/** Spec part 1, section 3: "Payment session". */
export const paymentSessionSchema = z.object({
  sessionId: z.string(),
  status: z.enum(['open', 'complete', 'expired']),
  /**
   * paid: verified with the payment provider, and what was bought is there. refunded: what was paid for could not be had by
   * then, and the provider gives it back.
   */
  paymentStatus: z.enum(['paid', 'unpaid', 'failed', 'refunded']),
  /** Why its page was ended, or its payment given back, where that is known. */
  reason: z.enum(['no_longer_offered', 'price_changed', 'had_access', 'overlap_changed', 'paid_twice']).nullable(),
  /** Of a plan: which one it is. */
  planId: z.string().nullable(),
  /** Minor units. */
  amountTotal: z.int(),
  currency: z.string(),
  /** How the total comes about; absent where it has no tax and no discount. */
  totals: totalsSchema.optional(),
  customerEmail: z.string().nullable(),
  metadata: z.object({ type: z.enum(['rental', 'credits', 'subscription']), mcpId: z.string().nullable() }),
});
export type PaymentSession = z.infer<typeof paymentSessionSchema>;

export const getPaymentSession = endpoint({
  id: 'getPaymentSession',
  method: 'GET',
  path: '/api/billing/session/:sessionId',
  summary: "What became of one of the caller's payments, asked of the payment provider",
  access: 'user',
  params: z.object({ sessionId: z.string().max(255) }),
  answer: z.object({ success: z.literal(true), data: paymentSessionSchema }),
  errors: ['not_found', 'payments_unavailable', 'payment_refused', 'rate_limited', ...needSession],
});

const endAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  /** Until when it can be used; null where it has no end. */
  endsAt: isoTime.nullable(),
});
const changeErrors = [
  'not_found',
  'not_active',
  'change_under_way',
  'not_yours_to_end',
  'payments_off',
  'payments_unavailable',
  'payment_refused',
  ...needSession,
] as const;

/** The status that the page showed: where it is another one by now it is `not_active`, and nothing is ended. */
const shownStatus = z.strictObject({ shown: ownedStatusSchema.optional() }).default({});

export const cancelRental = endpoint({
  id: 'cancelRental',
  method: 'POST',
  path: '/api/billing/cancel-rental/:mcpId',
  summary: 'Ends a rental at the end of its paid period; it can be resumed until then',
  access: 'account',
  params: z.object({ mcpId: z.string().max(63) }),
  body: shownStatus,
  answer: endAnswer,
  errors: changeErrors,
});

export const resumeRental = endpoint({
  id: 'resumeRental',
  method: 'POST',
  path: '/api/billing/rentals/:mcpId/resume',
  summary: 'Takes the end of a rental back',
  access: 'account',
  params: z.object({ mcpId: z.string().max(63) }),
  answer: endAnswer,
  errors: changeErrors,
});

export const cancelSubscription = endpoint({
  id: 'cancelSubscription',
  method: 'POST',
  path: '/api/billing/cancel-subscription/:id',
  summary: 'Ends a subscription at the end of its paid period; it can be resumed until then',
  access: 'account',
  params: z.object({ id: z.string().max(100) }),
  body: shownStatus,
  answer: endAnswer,
  errors: changeErrors,
});

export const resumeSubscription = endpoint({
  id: 'resumeSubscription',
  method: 'POST',
  path: '/api/billing/subscriptions/:id/resume',
  summary: 'Takes the end of a subscription back',
  access: 'account',
  params: z.object({ id: z.string().max(100) }),
  answer: endAnswer,
  errors: changeErrors,
});

/** What the payment provider charges, without anything that could pay elsewhere. */
export const paymentMethodSchema = z.object({
  /** The provider's name of its kind: card, sepa_debit, link, … */
  type: z.string(),
  /** The network of a card, in the provider's word: visa, mastercard, … */
  brand: z.string().nullable(),
  /** The last digits of a card or an account. */
  last4: z.string().nullable(),
  /** The last month in which a card pays. */
  expires: z.object({ month: z.int(), year: z.int() }).nullable(),
});
export type PaymentMethod = z.infer<typeof paymentMethodSchema>;

/** What a change of plan costs and when it happens. */
export const planChangeSchema = z.object({
  planId: z.string(),
  /** upgrade: at once, the difference is paid now. downgrade: with the next period. */
  kind: z.enum(['upgrade', 'downgrade']),
  /** Cents that are paid now, with their tax. */
  amountDue: z.int(),
  /** The part of them that is tax; absent where there is none. */
  taxDue: z.int().optional(),
  /** Cents a period from then on, before discount and tax. */
  nextAmount: z.int(),
  /** Tax is added to it; absent where it is not. */
  plusTax: z.literal(true).optional(),
  /** A discount that still runs is taken off it; absent where none does. */
  lessDiscount: z.literal(true).optional(),
  /** Of an upgrade that begins now: the difference of the month's credits for the rest of the period, once it is paid. Else 0. */
  creditsNow: z.int(),
  /** Credits that each period from then on brings. */
  nextCredits: z.int(),
  currency: z.string(),
  /** When the new plan begins. */
  at: isoTime,
  /**
   * Of an upgrade: the second (since 1970) for which amountDue was reckoned. Sent back with the change, exactly that amount is
   * paid.
   */
  prorationDate: z.int().nullable(),
  /** What it is charged to; null where the provider does not say. */
  paymentMethod: paymentMethodSchema.nullable(),
});

export const changeSubscription = endpoint({
  id: 'changeSubscription',
  method: 'POST',
  path: '/api/billing/subscriptions/:id/change',
  summary: 'Changes the plan of a subscription, or with preview says what that would cost',
  access: 'account',
  params: z.object({ id: z.string().max(100) }),
  body: z
    .object({
      planId: z.string().max(100),
      /** true: nothing is changed. */
      preview: z.boolean().default(false),
      /** Of the preview that the person saw, at most 15 minutes ago; later it is `price_changed`. Without it: now. */
      prorationDate: z.int().min(0).optional(),
      /**
       * Cents that the page showed, of the preview; a change needs them. Where one is another by now it is `price_changed`, with the
       * new `price`, and nothing is changed.
       */
      shown: z.object({ amountDue: z.int(), nextAmount: z.int() }).optional(),
      endRentals,
      shownRentals,
    })
    .refine(({ preview, shown }) => preview || shown !== undefined, {
      path: ['shown'],
      message: 'Send what the preview showed: amountDue and nextAmount',
    })
    .meta({ examples: [{ planId: 'pro', preview: true }] }),
  answer: z.object({
    success: z.literal(true),
    message: z.string(),
    change: planChangeSchema,
    /** Where a payment that needs the person can be finished; the new plan begins once it is paid. Else null. */
    paymentUrl: z.string().nullable(),
  }),
  errors: ['invalid_request', 'plan_not_found', 'payment_failed', 'price_changed', 'overlap_changed', ...changeErrors],
});

export const getOpenPayment = endpoint({
  id: 'getOpenPayment',
  method: 'GET',
  path: '/api/billing/open-payment/:id',
  summary:
    'Where the caller pays for a plan or rental whose last payment failed or whose upgrade waits, asked of the provider',
  access: 'user',
  /** Of the subscription or rental. */
  params: z.object({ id: z.string().max(100) }),
  answer: z.object({
    success: z.literal(true),
    /** The payment provider's page. */
    paymentUrl: z.string(),
    /** Minor units. */
    amountDue: z.int(),
    currency: z.string(),
  }),
  errors: ['not_found', 'change_under_way', 'payments_off', 'payments_unavailable', 'payment_refused', ...needSession],
});

export const changeCard = endpoint({
  id: 'changeCard',
  method: 'POST',
  path: '/api/billing/card',
  summary: 'The page of the payment provider where the caller chooses another card for what they pay for each month',
  access: 'account',
  body: z
    .strictObject({
      /** Of a plan that the caller was about to change to: the page leads back to it, and not to their billing. */
      planId: z.string().max(100).optional(),
    })
    .default({}),
  answer: z.object({ success: z.literal(true), portalUrl: z.string() }),
  errors: ['not_found', 'payments_off', 'payments_unavailable', 'payment_refused', ...needSession],
});

export const listPaymentMethods = endpoint({
  id: 'listPaymentMethods',
  method: 'GET',
  path: '/api/billing/payment-methods',
  summary: "What the caller's plans and rentals are charged to, asked of the payment provider",
  access: 'user',
  answer: z.object({
    success: z.literal(true),
    /** One entry for each subscription and rental that the provider can charge, by its id here. */
    paymentMethods: z.array(z.object({ pays: z.string(), method: paymentMethodSchema })),
  }),
  errors: ['payments_off', 'payments_unavailable', 'payment_refused', ...needSession],
});

export const paymentEndpoints = [
  listPaymentMethods,
  changeCard,
  startCheckout,
  purchaseCredits,
  getPaymentSession,
  cancelRental,
  resumeRental,
  cancelSubscription,
  resumeSubscription,
  changeSubscription,
  getOpenPayment,
] as const;
