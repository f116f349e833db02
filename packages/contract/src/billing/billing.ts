import { z } from 'zod';
import { includingPlanSchema, serverStatusSchema } from '../catalogue/catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { tierSchema } from '../tiers.ts';
import { totalsSchema } from './totals.ts';

const needSession = ['authentication_required', 'unauthenticated'] as const;
const isoTime = z.iso.datetime();

/** Spec part 1, section 3: "Subscription plan". The last three are additions. */
export const planSchema = z.object({
  planId: z.string(),
  name: z.string(),
  description: z.string(),
  /** Cents per period; 0 for the free plan. */
  amount: z.int(),
  currency: z.string(),
  period: z.enum(['month']),
  features: z.array(z.string()),
  /** Price id at the payment provider; null if the plan is free. */
  priceId: z.string().nullable(),
  active: z.boolean(),
  tier: tierSchema,
  /** Credits granted with each paid period; they expire with it. */
  monthlyCredits: z.int(),
  /** Whether it is marked "Most Popular". */
  popular: z.boolean(),
});
export type Plan = z.infer<typeof planSchema>;

/** Spec part 1, section 3: "Credit package". */
export const creditPackageSchema = z.object({
  packageId: z.string(),
  name: z.string(),
  credits: z.int(),
  /** Given on top of `credits`. */
  bonus: z.int(),
  /** Cents. */
  price: z.int(),
  currency: z.string(),
  /** Price id at the payment provider; null until it is created there. */
  stripePriceId: z.string().nullable(),
  /** Whether it is marked "Most Popular". */
  popular: z.boolean(),
});
export type CreditPackage = z.infer<typeof creditPackageSchema>;

export const listPlans = endpoint({
  id: 'listPlans',
  method: 'GET',
  path: '/api/billing/subscription/plans',
  summary: 'Lists the plans on sale, cheapest first',
  access: 'public',
  answer: z.object({ success: z.literal(true), plans: z.array(planSchema) }),
});

export const listCreditPackages = endpoint({
  id: 'listCreditPackages',
  method: 'GET',
  path: '/api/billing/credits/packages',
  summary: 'Lists the credit packages on sale, smallest first',
  access: 'public',
  /** Empty if nothing is sold. */
  answer: z.object({ success: z.literal(true), packages: z.array(creditPackageSchema) }),
});

export const accessTypeSchema = z.enum(['free', 'rental', 'purchase', 'trial', 'subscription', 'none']);

/** Spec part 1, section 3: "User access to a server". */
export const userAccessSchema = z.object({
  hasAccess: z.boolean(),
  accessType: accessTypeSchema,
  /** End of the paid or granted period; null if it has none. */
  expiresAt: isoTime.nullable(),
  isTrialPeriod: z.boolean(),
  /** 'System subscription (pro)' if a plan gives access (spec part 2, section 3). */
  features: z.array(z.string()),
  /** Whether it ends with its period; it can be resumed until then. */
  isCancelled: z.boolean(),
  /** Whether it is charged again when its period ends. */
  renews: z.boolean(),
  /**
   * User's plan that includes the server, even if they also rent it, bought it or are trying it; null: none. `isCancelled`:
   * the plan ends with its period. `includedUntil`: the time after which no plan of theirs includes the server; null: no such
   * time is known.
   */
  plan: z
    .object({
      planId: z.string(),
      name: z.string(),
      since: isoTime,
      isCancelled: z.boolean(),
      includedUntil: isoTime.nullable(),
    })
    .nullable(),
});
export type UserAccess = z.infer<typeof userAccessSchema>;

/**
 * canceled: usable until its period ends. past_due: the last payment failed and is being retried. unpaid: access has ended
 * for lack of payment; can be paid, cancelled or replaced.
 */
export const ownedStatusSchema = z.enum(['active', 'canceled', 'past_due', 'unpaid']);
export type OwnedStatus = z.infer<typeof ownedStatusSchema>;

export const ownedSourceSchema = z.enum(['payment', 'administrator']);

/** Next charge by the payment provider. `amountCents` is in minor units. */
export const nextChargeSchema = z.object({
  amountCents: z.int(),
  currency: z.string(),
  at: isoTime,
  /** Composition of the amount, as last reported by the payment provider; absent without tax and discount. */
  totals: totalsSchema.optional(),
  /** Present if tax of a yet unknown amount is added. */
  plusTax: z.literal(true).optional(),
});
export type NextCharge = z.infer<typeof nextChargeSchema>;
/** null: nothing will be charged, or a failed charge is being retried. */
const charge = nextChargeSchema.nullable();
/** Next charge after resuming a canceled item. null: it renews, or has not been fetched from the payment provider yet. */
const chargeIfResumed = nextChargeSchema.nullable();

/** Monthly price and credits of a plan. */
const termsSchema = z.object({ amount: z.int(), currency: z.string(), monthlyCredits: z.int() });

/** Spec part 1 and 2, section 3: "Subscription response" and "User subscription data". */
export const subscriptionAnswerSchema = z.object({
  success: z.literal(true),
  subscription: z.object({
    subscriptions: z.array(
      z.object({
        id: z.string(),
        planName: z.string(),
        /** Plan id; the name of the field is the specification's. */
        mcpId: z.string(),
        /** Tier of the plan, which may be archived. */
        tier: tierSchema,
        type: z.literal('subscription'),
        status: ownedStatusSchema,
        currentPeriodEnd: isoTime.nullable(),
        /** Plan that begins with the next period after a downgrade; null if none is chosen. */
        nextPlanId: z.string().nullable(),
        /** Tier of that plan, which may be archived. */
        nextTier: tierSchema.nullable(),
        /** Higher plan that begins once its payment is confirmed (`getOpenPayment`); null if none is pending. */
        pendingPlanId: z.string().nullable(),
        /** Payment deadline, after which the upgrade is dropped without charge. */
        pendingUntil: isoTime.nullable(),
        /** administrator: free of charge, so the user can neither cancel nor change it. */
        source: ownedSourceSchema,
        /** Price and credits of a renewal; null: free of charge, or not fetched from the payment provider yet. */
        renewal: termsSchema.nullable(),
        /** Price change at the renewal at this time; users are told before it applies. */
        priceChange: z.object({ from: termsSchema, to: termsSchema, at: isoTime }).nullable(),
        charge,
        chargeIfResumed,
      }),
    ),
    rentals: z.array(
      z.object({
        id: z.string(),
        mcpId: z.string(),
        status: ownedStatusSchema,
        /** daily, weekly, monthly */
        type: z.string(),
        startDate: isoTime,
        endDate: isoTime.nullable(),
        features: z.array(z.string()),
        source: ownedSourceSchema,
        /** Server name. */
        name: z.string(),
        /** false: the server was removed from the shop, and the rental is not renewed. */
        isOffered: z.boolean(),
        /** Tier of plans that include the server. null if it is not offered. */
        tier: tierSchema.nullable(),
        /** Plan whose payment ends the rental with its period, as the user chose; absent if they chose none. */
        endsWithPlanId: z.string().optional(),
        charge,
        chargeIfResumed,
      }),
    ),
    purchases: z.array(
      z.object({
        id: z.string(),
        mcpId: z.string(),
        status: ownedStatusSchema,
        /** Absent: permanent. */
        expiresAt: isoTime.optional(),
        /** Server name. */
        name: z.string(),
      }),
    ),
    /** Trials of servers that the user has rented or bought since are omitted. */
    trials: z.array(
      z.object({
        id: z.string(),
        mcpId: z.string(),
        status: ownedStatusSchema,
        expiresAt: isoTime,
        /** Server name. */
        name: z.string(),
        /** false: the server was removed from the shop. */
        isOffered: z.boolean(),
      }),
    ),
  }),
  /** T0 and all tiers of the plans, lowest first. A plan includes its own tier and all lower ones. */
  activeTiers: z.array(tierSchema),
  credits: z.object({
    balance: z.int(),
    currency: z.string(),
    /** Part of the balance that a call can spend now: without credits held by running calls, and without debt. */
    available: z.int(),
    held: z.int(),
    /** Credits clawed back beyond the balance after a refund; the next credits repay it first. */
    debt: z.int(),
    /** Balance by source, in the order of spending. */
    parts: z.array(
      z.object({
        source: z.enum(['plan', 'promotional', 'purchased']),
        credits: z.int(),
        /** null: they never expire. */
        expiresAt: isoTime.nullable(),
        /** Promotional credits given to a new account as a welcome. */
        isWelcome: z.literal(true).optional(),
      }),
    ),
  }),
  /**
   * Amount that the payment provider carries over to the next invoice, in minor units. Positive: a credit that reduces it.
   * Negative: added, because it was too small to be charged by itself. Absent if there is none.
   */
  balance: z.object({ amountCents: z.int(), currency: z.string() }).optional(),
  summary: z.object({
    hasActiveSubscriptions: z.boolean(),
    totalSubscriptions: z.int(),
    totalPurchases: z.int(),
    totalRentals: z.int(),
    totalTrials: z.int(),
  }),
});
export type SubscriptionAnswer = z.infer<typeof subscriptionAnswerSchema>;

export const getSubscription = endpoint({
  id: 'getSubscription',
  method: 'GET',
  path: '/api/billing/subscription',
  summary: "Returns the caller's plans, rentals, purchases and trials with their tiers and credits",
  access: 'user',
  answer: subscriptionAnswerSchema,
  errors: [...needSession],
});

/** A service whose calls fail: its status, when it began and the reason. */
const downSchema = z.object({ status: serverStatusSchema, since: isoTime, reason: z.string() });
export type Down = z.infer<typeof downSchema>;

export const getRentalOptions = endpoint({
  id: 'getRentalOptions',
  method: 'GET',
  path: '/api/billing/mcp/:mcpId/options',
  summary: 'Returns how the caller can get access to a server, and their spendable credits',
  access: 'user',
  params: z.object({ mcpId: z.string().max(200) }),
  answer: z.object({
    success: z.literal(true),
    mcpId: z.string(),
    /** null if it cannot be rented or nothing is sold. */
    rental: z
      .object({
        price: z.int(),
        currency: z.string(),
        period: z.literal('monthly'),
        name: z.string(),
        description: z.string(),
      })
      .nullable(),
    creditsAvailable: z.int(),
    /** Length of the trial that the caller can start, in days; null: none, or already used. */
    trialDays: z.int().nullable(),
    /** The caller already had the trial, with this account or an earlier one with the same e-mail address. */
    isTrialUsed: z.boolean(),
    down: downSchema.nullable(),
    access: userAccessSchema,
  }),
  errors: ['not_found', ...needSession],
});

const ofUser = z.object({ userId: z.string() });

/** Spec part 2, section 3: "Service". The fields that have a comment are additions. */
export const mcpServiceSchema = z.object({
  id: z.string(),
  /** Address on our own origin; null if the service has none. */
  icon: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  /** null: the manifest has no billing block, so the service is T0. */
  billing: z
    .object({
      tier: tierSchema,
      /** Minor units per month; null if it cannot be rented. */
      rental: z.object({ price: z.int(), currency: z.string() }).nullable(),
      currency: z.string(),
      /** Cheapest plan on sale that includes it; null if it is free or no plan includes it. */
      plan: includingPlanSchema.nullable(),
    })
    .nullable(),
  /** Price of the cheapest paid call in credits; absent if all calls are free. */
  creditsFrom: z.int().optional(),
  /** Features from the service's manifest; `userAccess.features` are those of the access. */
  features: z.array(z.string()),
  userAccess: userAccessSchema,
  /** Whether its tools are in the caller's link: they may use it and have not disabled it. */
  enabled: z.boolean(),
  /** Length of the trial that the caller can start now, in days; null: none, already used, or they have access already. */
  trialDays: z.int().nullable(),
  /** null if it responds correctly or was never checked. */
  down: downSchema.nullable(),
});
export type McpService = z.infer<typeof mcpServiceSchema>;

export const listMcpServices = endpoint({
  id: 'listMcpServices',
  method: 'GET',
  path: '/api/users/:userId/mcp-services',
  summary: "Lists every deployed service with the caller's access to it (the My Services list), sorted by name",
  access: 'user',
  params: ofUser,
  answer: z.object({ success: z.literal(true), services: z.array(mcpServiceSchema) }),
  errors: ['not_found', ...needSession],
});

export const startTrial = endpoint({
  id: 'startTrial',
  method: 'POST',
  path: '/api/billing/trials',
  summary: 'Starts the trial of a server, once per e-mail address and server',
  access: 'account',
  body: z.object({ mcpId: z.string().max(63) }),
  answer: z.object({ success: z.literal(true), message: z.string(), access: userAccessSchema }),
  errors: ['invalid_request', 'not_found', 'has_access', 'trial_used', ...needSession],
});

const spendCapAnswer = z.object({
  success: z.literal(true),
  /** Credits that calls may spend per month (UTC); null: no limit. */
  monthlyCap: z.int().nullable(),
  spentThisMonth: z.int(),
  /** End of the month. */
  resetsAt: isoTime,
});

export const getSpendCap = endpoint({
  id: 'getSpendCap',
  method: 'GET',
  path: '/api/users/:userId/spend-cap',
  summary: "Returns the caller's monthly limit on credits spent by calls, and what they have spent",
  access: 'user',
  params: ofUser,
  answer: spendCapAnswer,
  errors: ['not_found', ...needSession],
});

export const setSpendCap = endpoint({
  id: 'setSpendCap',
  method: 'PUT',
  path: '/api/users/:userId/spend-cap',
  summary: "Limits the credits that the caller's calls may spend per month (UTC)",
  access: 'account',
  params: ofUser,
  body: z.object({ monthlyCap: z.int().min(0).max(1_000_000_000).nullable() }),
  answer: spendCapAnswer,
  errors: ['not_found', 'invalid_request', ...needSession],
});

export const billingEndpoints = [
  listPlans,
  listCreditPackages,
  getSubscription,
  getRentalOptions,
  listMcpServices,
  startTrial,
  getSpendCap,
  setSpendCap,
] as const;
