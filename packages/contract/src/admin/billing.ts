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
  /** Of the server; of a subscription the plan's id, in the field that the specification gives it. */
  mcpId: z.string(),
  status: ownedStatusSchema,
  /** payment: the payment provider charges it, and a removal cancels it there. person: a trial that they started. */
  source: z.enum(['payment', 'administrator', 'person']),
  /** What paying back the part of the period that is left comes to; null: nothing was paid, all went back, or is disputed. */
  refund: z.object({ amountCents: z.int(), currency: z.string() }).nullable(),
  /** A dispute keeps some or all of that from being paid back: the bank has the money. */
  isDisputed: z.boolean(),
  /** null: nothing is charged, or a charge that failed is tried again. */
  charge: nextChargeSchema.nullable(),
};
const ownedServerSchema = z.object({
  ...owned,
  /** Of the server, as people know it. */
  name: z.string(),
  type: z.string(),
  startDate: isoTime,
  /** null: it has no end. */
  endDate: isoTime.nullable(),
  features: z.array(z.string()),
});
export type AdminOwnedServer = z.infer<typeof ownedServerSchema>;

/** Spec part 2, section 3: "Admin billing for a user". What is over is left out. */
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
  /** `type`: purchase; of rentals daily, weekly or monthly; trial. */
  purchases: z.array(ownedServerSchema),
  rentals: z.array(ownedServerSchema),
  trials: z.array(ownedServerSchema),
  credits: z.object({
    balance: z.int(),
    currency: z.string(),
    /** Of the balance, what calls under way have reserved: it cannot be set below that. */
    held: z.int(),
    debt: z.int(),
  }),
});
export type UserBilling = z.infer<typeof userBillingSchema>;

export const getUserBilling = endpoint({
  id: 'getUserBilling',
  method: 'GET',
  path: '/admin/billing/users/:userId',
  summary: 'What a user has subscribed to, rents, bought and tries, with their credits',
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
  summary: 'Sets the credit balance of a user; what is added is a promotion',
  access: 'admin',
  params: ofUser,
  body: z.strictObject({
    credits,
    reason,
    /** The balance that was shown, however high: nothing is set when it is another one by now. */
    expectedBalance: z.int().optional(),
  }),
  answer: z.object({ success: z.literal(true), credits: z.int(), change: z.int() }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', 'credits_held', ...adminErrors],
});

/** Of rentals. A plan is given by the month, and a purchase has no end. */
export const rentalPeriodSchema = z.enum(['daily', 'weekly', 'monthly']);
export type RentalPeriod = z.infer<typeof rentalPeriodSchema>;

const given = {
  mcpId: z.string().trim().min(1, 'must name a service or a plan').max(100),
  reason,
};
/** A plan has its own, whatever is given. */
const planFeatures = z.array(line(120)).max(20).optional();
/** Of a service; those of its manifest where none are given. */
const features = z.array(serverFeature).max(20).optional();

export const addUserSubscription = endpoint({
  id: 'addUserSubscription',
  method: 'POST',
  path: '/admin/users/:id/subscription',
  summary:
    'Gives a user a plan, a rental or a purchase: access alone, nothing is charged and no monthly credits come with it',
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
    // the screen sends the period that it has, which means nothing here
    z.strictObject({ type: z.literal('purchase'), period: rentalPeriodSchema.optional(), features, ...given }),
  ]),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** null: it has no end. */
    endsAt: isoTime.nullable(),
  }),
  errors: ['invalid_request', 'not_found', 'plan_not_found', 'free_plan', 'has_access', ...adminErrors],
});

export const removeUserSubscription = endpoint({
  id: 'removeUserSubscription',
  method: 'DELETE',
  path: '/admin/users/:id/subscription/:subscriptionId',
  summary:
    'Ends a plan, rental, purchase or trial of a user now, at the payment provider too where that charges it; paid back only where a refund is asked for',
  access: 'admin',
  params: z.object({ id: z.string().max(100), subscriptionId: z.string().max(100) }),
  body: z.strictObject({
    reason,
    /** prorata: what was paid for the part of the period that is left is paid back; asks for a sign-in of the last 15 minutes. */
    refund: z.enum(['none', 'prorata']).default('none'),
  }),
  answer: z.object({
    success: z.literal(true),
    message: z.string(),
    /**
     * null: none was asked for, or nothing was paid. pending: the payment provider did not answer, and is asked again by itself.
     * failed: it refused, as while the payment is disputed.
     */
    refund: z
      .object({ result: z.enum(['refunded', 'pending', 'failed']), amountCents: z.int(), currency: z.string() })
      .nullable(),
    /** pending: the payment provider did not answer, and is asked again by itself. none: it charges nothing for this. */
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
