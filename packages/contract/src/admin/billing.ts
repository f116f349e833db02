import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { nextChargeSchema, ownedStatusSchema } from '../billing/billing.ts';
import { endpoint } from '../endpoint.ts';
import { line, serverFeature } from '../manifest/manifest-basics.ts';

const isoTime = z.iso.datetime();
const ofUser = z.object({ id: z.string().max(100) });

const reason = adminReason;

const owned = {
  id: z.string(),
  /** Server id, or for a subscription the plan id: the specification gives both the same field. */
  mcpId: z.string(),
  status: ownedStatusSchema,
  /** payment: charged by the payment provider; removing it cancels it there. person: a trial that the user started. */
  source: z.enum(['payment', 'administrator', 'person']),
  /** Refund for the unused part of the period; null: nothing was paid, it was refunded in full, or it is disputed. */
  refund: z.object({ amountCents: z.int(), currency: z.string() }).nullable(),
  /** Whether some or all of the payment is disputed and cannot be refunded: the bank has that money. */
  isDisputed: z.boolean(),
  /** null: nothing will be charged, or a failed charge is being retried. */
  charge: nextChargeSchema.nullable(),
};
const ownedServerSchema = z.object({
  ...owned,
  /** Display name of the server. */
  name: z.string(),
  type: z.string(),
  startDate: isoTime,
  /** null: no end. */
  endDate: isoTime.nullable(),
  features: z.array(z.string()),
});
export type AdminOwnedServer = z.infer<typeof ownedServerSchema>;

/** Spec part 2, section 3: "Admin billing for a user". Ended items are left out. */
export const userBillingSchema = z.object({
  subscriptions: z.array(
    z.object({
      ...owned,
      type: z.literal('subscription'),
      planName: z.string(),
      currentPeriodStart: isoTime,
      currentPeriodEnd: isoTime.nullable(),
      features: z.array(z.string()),
    }),
  ),
  /** `type` is purchase, trial, or for rentals daily, weekly or monthly. */
  purchases: z.array(ownedServerSchema),
  rentals: z.array(ownedServerSchema),
  trials: z.array(ownedServerSchema),
  credits: z.object({
    balance: z.int(),
    currency: z.string(),
    /** Part of the balance reserved for running calls; the balance cannot be set lower. */
    held: z.int(),
    debt: z.int(),
  }),
});
export type UserBilling = z.infer<typeof userBillingSchema>;

export const getUserBilling = endpoint({
  id: 'getUserBilling',
  method: 'GET',
  path: '/admin/billing/users/:userId',
  summary: "Returns a user's plans, rentals, purchases, trials and credits",
  access: 'admin',
  params: z.object({ userId: z.string().max(100) }),
  answer: z.object({
    success: z.literal(true),
    user: z.object({
      id: z.string(),
      email: z.string(),
      displayName: z.string(),
      createdAt: isoTime,
      isActive: z.boolean(),
      role: z.enum(['user', 'admin']),
    }),
    billing: userBillingSchema,
  }),
  errors: ['not_found', ...adminErrors],
});

const maxCredits = 1_000_000_000;
const credits = z
  .int('must be a whole number')
  .min(0, 'must be 0 or more')
  .max(maxCredits, `must be at most ${maxCredits}`);

export const setUserCredits = endpoint({
  id: 'setUserCredits',
  method: 'PUT',
  path: '/admin/users/:id/credits',
  summary: 'Sets the credit balance of a user; an increase is granted as promotional credits',
  access: 'admin',
  params: ofUser,
  body: z.strictObject({
    credits,
    reason,
    /** Balance that the administrator saw; it may exceed the limit of `credits`. If it has changed, nothing is set. */
    expectedBalance: z.int().optional(),
  }),
  answer: z.object({ success: z.literal(true), credits: z.int(), change: z.int() }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', 'credits_held', ...adminErrors],
});

/** Period of a rental. A plan is granted monthly, and a purchase has no end. */
export const rentalPeriodSchema = z.enum(['daily', 'weekly', 'monthly']);
export type RentalPeriod = z.infer<typeof rentalPeriodSchema>;

const given = {
  mcpId: z.string().trim().min(1, 'must name a service or a plan').max(100),
  reason,
};
/** Ignored: a plan has its own features. */
const planFeatures = z.array(line(120)).max(20).optional();
/** Features of a service; by default those of its manifest. */
const features = z.array(serverFeature).max(20).optional();

export const addUserSubscription = endpoint({
  id: 'addUserSubscription',
  method: 'POST',
  path: '/admin/users/:id/subscription',
  summary: 'Grants a user a plan, a rental or a purchase: access only, without a charge and without monthly credits',
  access: 'admin',
  params: ofUser,
  body: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('subscription'),
      period: z.literal('monthly').default('monthly'),
      features: planFeatures,
      ...given,
    }),
    z.strictObject({ type: z.literal('rental'), period: rentalPeriodSchema.default('monthly'), features, ...given }),
    // the screen sends its period, which a purchase ignores
    z.strictObject({ type: z.literal('purchase'), period: rentalPeriodSchema.optional(), features, ...given }),
  ]),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** null: no end. */
    endsAt: isoTime.nullable(),
  }),
  errors: ['invalid_request', 'not_found', 'plan_not_found', 'free_plan', 'has_access', ...adminErrors],
});

export const removeUserSubscription = endpoint({
  id: 'removeUserSubscription',
  method: 'DELETE',
  path: '/admin/users/:id/subscription/:subscriptionId',
  summary:
    "Ends a user's plan, rental, purchase or trial now, also at the payment provider if it is charged there; refunds only on request",
  access: 'admin',
  params: z.object({ id: z.string().max(100), subscriptionId: z.string().max(100) }),
  body: z.strictObject({
    reason,
    /** prorata: refund the unused part of the period; requires a sign-in within the last 15 minutes. */
    refund: z.enum(['none', 'prorata']).default('none'),
  }),
  answer: z.object({
    success: z.literal(true),
    message: z.string(),
    /**
     * null: not requested, or nothing was paid. pending: the payment provider did not respond; we retry automatically.
     * failed: it refused, for example because the payment is disputed.
     */
    refund: z
      .object({ result: z.enum(['refunded', 'pending', 'failed']), amountCents: z.int(), currency: z.string() })
      .nullable(),
    /** pending: the payment provider did not respond; we retry automatically. none: it charges nothing for this. */
    atProvider: z.enum(['none', 'cancelled', 'pending']),
  }),
  errors: ['invalid_request', 'not_found', 'sign_in_again', 'payments_off', 'refund_impossible', ...adminErrors],
});

export const adminBillingEndpoints = [
  getUserBilling,
  setUserCredits,
  addUserSubscription,
  removeUserSubscription,
] as const;
