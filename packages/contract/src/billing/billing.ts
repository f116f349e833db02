import { z } from 'zod';
import { includingPlanSchema, serverStatusSchema } from '../catalogue/catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { tierSchema } from '../tiers.ts';
import { totalsSchema } from './totals.ts';

const needSession = ['authentication_required', 'unauthenticated'] as const;
const isoTime = z.iso.datetime();

/** Spec part 1, section 3: "Subscription plan". The last two are additions. */
export const planSchema = z.object({
  planId: z.string(),
  name: z.string(),
  description: z.string(),
  /** Cents a period; 0 for the free plan. */
  amount: z.int(),
  currency: z.string(),
  period: z.enum(['month']),
  features: z.array(z.string()),
  /** Of the payment provider; null where nothing is paid. */
  priceId: z.string().nullable(),
  active: z.boolean(),
  tier: tierSchema,
  /** Credits that each paid period brings, and that end with it. */
  monthlyCredits: z.int(),
  /** The one that is marked "Most Popular". */
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
  /** Of the payment provider; null until it knows the package. */
  stripePriceId: z.string().nullable(),
  /** The one that is marked "Most Popular". */
  popular: z.boolean(),
});
export type CreditPackage = z.infer<typeof creditPackageSchema>;

export const listPlans = endpoint({
  id: 'listPlans',
  method: 'GET',
  path: '/api/billing/subscription/plans',
  summary: 'The plans that can be subscribed to, cheapest first',
  access: 'public',
  answer: z.object({ success: z.literal(true), plans: z.array(planSchema) }),
});

export const listCreditPackages = endpoint({
  id: 'listCreditPackages',
  method: 'GET',
  path: '/api/billing/credits/packages',
  summary: 'The credit packages that can be bought, smallest first',
  access: 'public',
  /** None where nothing is sold. */
  answer: z.object({ success: z.literal(true), packages: z.array(creditPackageSchema) }),
});

export const accessTypeSchema = z.enum(['free', 'rental', 'purchase', 'trial', 'subscription', 'none']);
export type AccessType = z.infer<typeof accessTypeSchema>;

/** Spec part 1, section 3: "User access to a server". */
export const userAccessSchema = z.object({
  hasAccess: z.boolean(),
  accessType: accessTypeSchema,
  /** End of the paid or granted period; null where there is none. */
  expiresAt: isoTime.nullable(),
  isTrialPeriod: z.boolean(),
  /** 'System subscription (pro)' where a plan gives access (spec part 2, section 3). */
  features: z.array(z.string()),
  /** It ends with its period, and can be resumed until then. */
  isCancelled: z.boolean(),
  /** It is paid for again when its period ends. */
  renews: z.boolean(),
  /**
   * The person's plan that includes the server, also where they rent, bought or try it besides; null: none does.
   * `isCancelled`: the plan ends with its period. `includedUntil`: no plan of theirs includes the server after it; null: no such
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
 * active; canceled: usable until its period ends; past_due: the last payment failed, and is tried again; unpaid: it was not
 * paid, so access has ended, and it can be paid, cancelled or replaced.
 */
export const ownedStatusSchema = z.enum(['active', 'canceled', 'past_due', 'unpaid']);
export type OwnedStatus = z.infer<typeof ownedStatusSchema>;

export const ownedSourceSchema = z.enum(['payment', 'administrator']);

/** What the payment provider charges next, and when. `amountCents` in minor units. */
export const nextChargeSchema = z.object({
  amountCents: z.int(),
  currency: z.string(),
  at: isoTime,
  /** How the amount comes about, as the payment provider last said; absent where it has no tax and no discount. */
  totals: totalsSchema.optional(),
  /** Tax is added to the amount, and how much is not known yet; absent elsewhere. */
  plusTax: z.literal(true).optional(),
});
export type NextCharge = z.infer<typeof nextChargeSchema>;
/** null: nothing is charged, or a charge that failed is tried again. */
const charge = nextChargeSchema.nullable();
/** Of what is canceled: what is charged next once it is resumed. null: it renews, or the payment provider was not asked yet. */
const chargeIfResumed = nextChargeSchema.nullable();

/** What a month of a plan costs and brings the one who has it. */
const termsSchema = z.object({ amount: z.int(), currency: z.string(), monthlyCredits: z.int() });

/** Spec part 1 and 2, section 3: "Subscription response" and "User subscription data". */
export const subscriptionAnswerSchema = z.object({
  success: z.literal(true),
  subscription: z.object({
    subscriptions: z.array(
      z.object({
        id: z.string(),
        planName: z.string(),
        /** The plan's id, in the field that the specification gives it. */
        mcpId: z.string(),
        /** Of the plan, which may be archived by now. */
        tier: tierSchema,
        type: z.literal('subscription'),
        status: ownedStatusSchema,
        currentPeriodEnd: isoTime.nullable(),
        /** The plan that begins with the next period, after a downgrade; null where none is chosen. */
        nextPlanId: z.string().nullable(),
        /** Of that plan, which may be archived by now. */
        nextTier: tierSchema.nullable(),
        /** A higher plan that begins once its payment is confirmed (`getOpenPayment`); null where none waits. */
        pendingPlanId: z.string().nullable(),
        /** Unless it is paid until then, the upgrade is dropped and costs nothing. */
        pendingUntil: isoTime.nullable(),
        /** administrator: nothing is paid, so it is neither cancelled nor changed by the person. */
        source: ownedSourceSchema,
        /** What a renewal costs and brings; null: nothing is paid for it, or the payment provider was not asked yet. */
        renewal: termsSchema.nullable(),
        /** The price changes with the renewal at this time, which people see before it applies. */
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
        /** Of the server. */
        name: z.string(),
        /** false: the server was taken out of the shop, and its rental is not renewed. */
        isOffered: z.boolean(),
        /** Of the server: a plan of this tier includes it. null where it is not offered. */
        tier: tierSchema.nullable(),
        /** The plan whose payment ends the rental with its period, as the person chose; absent where they chose none. */
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
        /** Of the server. */
        name: z.string(),
      }),
    ),
    /** What the person rents or has bought by now is left out. */
    trials: z.array(
      z.object({
        id: z.string(),
        mcpId: z.string(),
        status: ownedStatusSchema,
        expiresAt: isoTime,
        /** Of the server. */
        name: z.string(),
        /** false: the server was taken out of the shop. */
        isOffered: z.boolean(),
      }),
    ),
  }),
  /** T0, and all that the plans include: a plan brings its own tier and each lower one. T0 first. */
  activeTiers: z.array(tierSchema),
  credits: z.object({
    balance: z.int(),
    currency: z.string(),
    /** Of the balance, what a call may spend now: without what is held for calls under way, and without debt. */
    available: z.int(),
    held: z.int(),
    /** Taken back beyond the balance, after a refund; the next credits repay it first. */
    debt: z.int(),
    /** The balance by where it comes from, in the order in which it is spent. */
    parts: z.array(
      z.object({
        source: z.enum(['plan', 'promotional', 'purchased']),
        credits: z.int(),
        /** null: never. */
        expiresAt: isoTime.nullable(),
        /** The promotional credits were given to the new account as a welcome. */
        isWelcome: z.literal(true).optional(),
      }),
    ),
  }),
  /**
   * What the payment provider keeps for the next invoice, in minor units: positive, a credit that reduces it; negative, an amount too
   * small to be charged by itself, which is added. Absent where there is none.
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
  summary: 'What the caller has subscribed to, rents, bought and tries, with their tiers and credits',
  access: 'user',
  answer: subscriptionAnswerSchema,
  errors: [...needSession],
});

/** A service whose calls fail: its status, since when it has it, and why. */
const downSchema = z.object({ status: serverStatusSchema, since: isoTime, reason: z.string() });
export type Down = z.infer<typeof downSchema>;

export const getRentalOptions = endpoint({
  id: 'getRentalOptions',
  method: 'GET',
  path: '/api/billing/mcp/:mcpId/options',
  summary: 'How the caller can get access to a server, and the credits that they can spend',
  access: 'user',
  params: z.object({ mcpId: z.string().max(200) }),
  answer: z.object({
    success: z.literal(true),
    mcpId: z.string(),
    /** null where it cannot be rented, or nothing is sold. */
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
    /** Days of the trial that the caller may start; null where there is none, or they had it. */
    trialDays: z.int().nullable(),
    /** The caller has had the trial, with this account or an earlier one of their address. */
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
  /** An address on our own origin; null where the service has none. */
  icon: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  /** null: the manifest has no billing block, the service is T0. */
  billing: z
    .object({
      tier: tierSchema,
      /** Minor units a month; null where it cannot be rented. */
      rental: z.object({ price: z.int(), currency: z.string() }).nullable(),
      currency: z.string(),
      /** The cheapest plan on sale that includes it; null for a free one, and where no plan does. */
      plan: includingPlanSchema.nullable(),
    })
    .nullable(),
  /** Credits of the cheapest call that costs any; absent where every call is included. */
  creditsFrom: z.int().optional(),
  /** What the service promises, from its manifest; `userAccess.features` are those of the access. */
  features: z.array(z.string()),
  userAccess: userAccessSchema,
  /** Its tools are in the caller's link: they may use it and have not switched it off. */
  enabled: z.boolean(),
  /** Days of the trial that the caller may start now; null where there is none, they had it, or have access already. */
  trialDays: z.int().nullable(),
  /** null while it answers as it should, and while it was never asked. */
  down: downSchema.nullable(),
});
export type McpService = z.infer<typeof mcpServiceSchema>;

export const listMcpServices = endpoint({
  id: 'listMcpServices',
  method: 'GET',
  path: '/api/users/:userId/mcp-services',
  summary: 'Every deployed service, with what the caller may do with it: the My Services list, sorted by name',
  access: 'user',
  params: ofUser,
  answer: z.object({ success: z.literal(true), services: z.array(mcpServiceSchema) }),
  errors: ['not_found', ...needSession],
});

export const startTrial = endpoint({
  id: 'startTrial',
  method: 'POST',
  path: '/api/billing/trials',
  summary: 'Starts the trial of a server, once for each address and server',
  access: 'account',
  body: z.object({ mcpId: z.string().max(63) }),
  answer: z.object({ success: z.literal(true), message: z.string(), access: userAccessSchema }),
  errors: ['invalid_request', 'not_found', 'has_access', 'trial_used', ...needSession],
});

const spendCapAnswer = z.object({
  success: z.literal(true),
  /** Credits that calls may spend in a month (UTC); null: no limit. */
  monthlyCap: z.int().nullable(),
  spentThisMonth: z.int(),
  /** When the month ends. */
  resetsAt: isoTime,
});

export const getSpendCap = endpoint({
  id: 'getSpendCap',
  method: 'GET',
  path: '/api/users/:userId/spend-cap',
  summary: 'How many credits the calls of the caller may spend in a month, and have spent',
  access: 'user',
  params: ofUser,
  answer: spendCapAnswer,
  errors: ['not_found', ...needSession],
});

export const setSpendCap = endpoint({
  id: 'setSpendCap',
  method: 'PUT',
  path: '/api/users/:userId/spend-cap',
  summary: 'Limits the credits that the calls of the caller may spend in a month (UTC)',
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
