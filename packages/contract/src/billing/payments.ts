import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ownedStatusSchema } from './billing.ts';
import { totalsSchema } from './totals.ts';

const needSession = ['authentication_required', 'unauthenticated'] as const;
const isoTime = z.iso.datetime();

/**
 * Addresses that the payment page redirects to. Only /payment/result of this installation is accepted; the broker adds
 * session_id. By default, the broker builds them.
 */
const returnAddresses = { successUrl: z.string().max(500).optional(), cancelUrl: z.string().max(500).optional() };
/** Cents that the page showed. If the price has changed, the error is `price_changed` and nothing is started. */
const shownAmount = z.int().optional();
/** Whether the page showed the service as down. If it went down since, the error is `service_down` and nothing is started. */
const shownDown = z.boolean().optional();
/**
 * Rented services that the plan includes and whose rentals should end with their paid period once the plan is paid. Without
 * them every rental continues.
 */
const endRentals = z.array(z.string().max(63)).max(100).optional();
/**
 * Services that the page showed as rented and included in the plan. If the user pays for another such rental by now, the
 * error is `overlap_changed` and nothing is started. If such a rental begins later, the payment page is closed.
 */
const shownRentals = z.array(z.string().max(63)).max(100).optional();
const checkoutAnswer = z.object({
  success: z.literal(true),
  /** Payment provider's page to open next. */
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
  summary: 'Starts the payment of a credit package, named by its price id',
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
   * paid: verified with the payment provider, and the purchase is active. refunded: the purchase was no longer possible, and
   * the provider refunds the payment.
   */
  paymentStatus: z.enum(['paid', 'unpaid', 'failed', 'refunded']),
  /** Reason why its page was closed or its payment refunded; null if unknown. */
  reason: z.enum(['no_longer_offered', 'price_changed', 'had_access', 'overlap_changed', 'paid_twice']).nullable(),
  /** Id of the plan being bought; null for other purchases. */
  planId: z.string().nullable(),
  /** Minor units. */
  amountTotal: z.int(),
  currency: z.string(),
  /** Composition of the total; absent without tax and discount. */
  totals: totalsSchema.optional(),
  customerEmail: z.string().nullable(),
  metadata: z.object({ type: z.enum(['rental', 'credits', 'subscription']), mcpId: z.string().nullable() }),
});
export type PaymentSession = z.infer<typeof paymentSessionSchema>;

export const getPaymentSession = endpoint({
  id: 'getPaymentSession',
  method: 'GET',
  path: '/api/billing/session/:sessionId',
  summary: "Returns the state of one of the caller's payments, checked with the payment provider",
  access: 'user',
  params: z.object({ sessionId: z.string().max(255) }),
  answer: z.object({ success: z.literal(true), data: paymentSessionSchema }),
  errors: ['not_found', 'payments_unavailable', 'payment_refused', 'rate_limited', ...needSession],
});

const endAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  /** End of use; null if it has none. */
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

/** Status that the page showed. If it has changed, the error is `not_active` and nothing is ended. */
const shownStatus = z.strictObject({ shown: ownedStatusSchema.optional() }).default({});

export const cancelRental = endpoint({
  id: 'cancelRental',
  method: 'POST',
  path: '/api/billing/cancel-rental/:mcpId',
  summary: 'Ends a rental with its paid period; it can be resumed until then',
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
  summary: 'Resumes a canceled rental',
  access: 'account',
  params: z.object({ mcpId: z.string().max(63) }),
  answer: endAnswer,
  errors: changeErrors,
});

export const cancelSubscription = endpoint({
  id: 'cancelSubscription',
  method: 'POST',
  path: '/api/billing/cancel-subscription/:id',
  summary: 'Ends a subscription with its paid period; it can be resumed until then',
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
  summary: 'Resumes a canceled subscription',
  access: 'account',
  params: z.object({ id: z.string().max(100) }),
  answer: endAnswer,
  errors: changeErrors,
});

/** Payment method without any data that could be used to pay elsewhere. */
export const paymentMethodSchema = z.object({
  /** Provider's type: card, sepa_debit, link, … */
  type: z.string(),
  /** Card network as the provider names it: visa, mastercard, … */
  brand: z.string().nullable(),
  /** Last digits of a card or account number. */
  last4: z.string().nullable(),
  /** Last month in which a card is valid. */
  expires: z.object({ month: z.int(), year: z.int() }).nullable(),
});
export type PaymentMethod = z.infer<typeof paymentMethodSchema>;

/** Cost and date of a change of plan. */
export const planChangeSchema = z.object({
  planId: z.string(),
  /** upgrade: now, for the difference in price. downgrade: with the next period. */
  kind: z.enum(['upgrade', 'downgrade']),
  /** Cents due now, including tax. */
  amountDue: z.int(),
  /** Tax within amountDue; absent if there is none. */
  taxDue: z.int().optional(),
  /** Cents per period from then on, before discount and tax. */
  nextAmount: z.int(),
  /** Present if tax is added to it. */
  plusTax: z.literal(true).optional(),
  /** Present if an active discount is subtracted from it. */
  lessDiscount: z.literal(true).optional(),
  /** For an upgrade that begins now: additional credits for the rest of the period once it is paid. Else 0. */
  creditsNow: z.int(),
  /** Credits per period from then on. */
  nextCredits: z.int(),
  currency: z.string(),
  /** Start of the new plan. */
  at: isoTime,
  /**
   * For an upgrade: time for which amountDue was calculated, in seconds since 1970. Sending it back with the change charges
   * exactly that amount.
   */
  prorationDate: z.int().nullable(),
  /** Payment method charged; null if the provider does not name it. */
  paymentMethod: paymentMethodSchema.nullable(),
});

export const changeSubscription = endpoint({
  id: 'changeSubscription',
  method: 'POST',
  path: '/api/billing/subscriptions/:id/change',
  summary: 'Changes the plan of a subscription; with preview, only calculates the cost',
  access: 'account',
  params: z.object({ id: z.string().max(100) }),
  body: z
    .object({
      planId: z.string().max(100),
      /** Calculates the cost without changing anything. */
      preview: z.boolean().default(false),
      /** From the preview that the user saw, at most 15 minutes old; an older one causes `price_changed`. Default: now. */
      prorationDate: z.int().min(0).optional(),
      /**
       * Cents from the preview that the page showed; required for a change. If one has changed, the error is `price_changed`
       * with the new `price`, and nothing is changed.
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
    /** Page where the user completes the payment if it needs them; the new plan begins once it is paid. Else null. */
    paymentUrl: z.string().nullable(),
  }),
  errors: ['invalid_request', 'plan_not_found', 'payment_failed', 'price_changed', 'overlap_changed', ...changeErrors],
});

export const getOpenPayment = endpoint({
  id: 'getOpenPayment',
  method: 'GET',
  path: '/api/billing/open-payment/:id',
  summary:
    'Returns the payment page for a plan or rental whose last payment failed or whose upgrade is unpaid, as the provider gives it',
  access: 'user',
  /** Id of the subscription or rental. */
  params: z.object({ id: z.string().max(100) }),
  answer: z.object({
    success: z.literal(true),
    /** Payment provider's page. */
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
  summary: "Returns the payment provider's page where the caller changes the card for their monthly payments",
  access: 'account',
  body: z
    .strictObject({
      /** Plan that the caller was about to change to: the page returns to it instead of to billing. */
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
  summary: "Lists the payment methods of the caller's plans and rentals, as the payment provider gives them",
  access: 'user',
  answer: z.object({
    success: z.literal(true),
    /** One entry per subscription and rental that the provider can charge; `pays` is its id here. */
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
