import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

// What administrators see first: what waits for them, and how the shop does.

const isoTime = z.iso.datetime();
/** In words: every page of an administrator asks for the first call, and loads no schema of other calls for it. */
const errors = ['admin_required', 'unauthenticated', 'authentication_required'] as const;
/** Of each kind the first so many are listed. */
export const shownNeeds = 20;

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    /** How many there are in all. */
    total: z.int(),
    items: z.array(item).max(shownNeeds),
  });

/** null: a deleted account, or one that is not known. */
const person = { userId: z.string().nullable(), email: z.string().nullable() };
const money = { amountCents: z.int(), currency: z.string() };

const needsSchema = z.object({
  toolsUnderReview: listOf(z.object({ serverId: z.string(), name: z.string(), tools: z.int() })),
  /** What administrators staged. */
  stagedVersions: listOf(z.object({ serverId: z.string(), name: z.string(), version: z.string() })),
  /** As the broker that answers has found them. `since` is null before this was kept. */
  failingServers: listOf(
    z.object({
      serverId: z.string(),
      name: z.string(),
      reason: z.string().nullable(),
      /** What happened underneath, as its page has it; null: no more is known. */
      detail: z.string().nullable(),
      since: isoTime.nullable(),
    }),
  ),
  /** Certificates of servers that end within 14 days, or have ended, as they were seen last. */
  endingCertificates: listOf(
    z.object({
      serverId: z.string(),
      name: z.string(),
      /** Who signed it; null: it does not say. */
      issuer: z.string().nullable(),
      validUntil: isoTime,
      hasExpired: z.boolean(),
    }),
  ),
  /** Servers at which nobody can sign in: an administrator has to decide about the authorization server that they name. */
  signInsToConfirm: listOf(z.object({ serverId: z.string(), name: z.string(), issuer: z.string(), since: isoTime })),
  /** Plans and rentals whose last payment failed: access goes on while the provider tries again. */
  failedRenewals: listOf(
    z.object({
      ...person,
      kind: z.enum(['plan', 'rental']),
      /** The name of the plan, or of the server. */
      what: z.string(),
      since: isoTime.nullable(),
    }),
  ),
  /** Disputes that wait for an answer, the first one due first. */
  disputes: listOf(
    z.object({
      ...person,
      id: z.string(),
      /** What was paid for; null: the payment is not known here. */
      description: z.string().nullable(),
      /** As the provider names it, such as fraudulent. */
      reason: z.string(),
      ...money,
      /** Until when the provider takes an answer. */
      dueBy: isoTime.nullable(),
    }),
  ),
  /** Events of the payment provider that could not be handled, and are tried again. */
  failingEvents: listOf(
    z.object({
      id: z.string(),
      type: z.string(),
      attempts: z.int(),
      receivedAt: isoTime,
      nextAt: isoTime,
      error: z.string(),
    }),
  ),
  /** Payments that are not what was ordered, or whose refund failed. */
  flaggedOrders: listOf(
    z.object({
      ...person,
      orderId: z.string(),
      description: z.string(),
      reason: z.string().nullable(),
      ...money,
      since: isoTime.nullable(),
    }),
  ),
  /**
   * Refunds by administrators that the provider refused, or the bank did not carry out, of the last 90 days: until another refund
   * of the payment is made, or its bank has given the money back.
   */
  failedRefunds: listOf(
    z.object({
      ...person,
      refundId: z.string(),
      /** What was paid for; null: the payment is not known here any more. */
      description: z.string().nullable(),
      ...money,
      /** Why, in the provider's words. */
      reason: z.string().nullable(),
      since: isoTime.nullable(),
    }),
  ),
  /** What the reconcilers had to repair in the last 7 days, the newest first: an event did not arrive, or failed. */
  foundPayments: listOf(
    z.object({ ...person, kind: z.enum(['payment', 'subscription']), subject: z.string(), at: isoTime }),
  ),
  /** Accounts whose figures do not add up, of the last check: none, always. `checkedAt` is null before the first check. */
  ledgerFaults: listOf(z.object({ userId: z.string(), fault: z.string() })).extend({ checkedAt: isoTime.nullable() }),
});
export type Needs = z.infer<typeof needsSchema>;

export const getAdminNeeds = endpoint({
  id: 'getAdminNeeds',
  method: 'GET',
  path: '/admin/overview/needs',
  summary: 'What waits for an administrator: reviews, staged versions, failing servers, and money that needs someone',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    /** All of them together. */
    waiting: z.int(),
    needs: needsSchema,
  }),
  errors,
});

/** A figure of the last 30 days (UTC, today included), and of the 30 before. */
const bothSpans = z.object({ now: z.int(), before: z.int() });
const paidFor = z.object({
  /** At the end of each span. What administrators gave is not counted. */
  active: bothSpans,
  began: bothSpans,
  ended: bothSpans,
});
export const overviewDays = 30;

export const getAdminFigures = endpoint({
  id: 'getAdminFigures',
  method: 'GET',
  path: '/admin/overview/figures',
  summary: 'How the shop did in the last 30 days and in the 30 before, from sums by day',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    /** false: the money is that of demo payments or of a test key. */
    livemode: z.boolean(),
    /** What was paid less what went back, without tax; empty where nothing was. */
    revenue: z
      .array(
        bothSpans.extend({
          currency: z.string(),
          byDay: z.array(z.int()).length(overviewDays),
          /** Tax that was paid with it, less what went back: the shop passes it on. */
          tax: bothSpans,
        }),
      )
      .max(200),
    plans: paidFor,
    rentals: paidFor,
    credits: z.object({
      /** Credits that people paid for in packages and with plans, less what was taken back. */
      sold: bothSpans,
      used: bothSpans,
      /** Credits that people paid for and have not used, at the end of each span: a liability. */
      owed: bothSpans,
      /** The same of credits that people were given. */
      given: bothSpans,
    }),
    /** Tool calls that were answered: a refused one is no use of a server. */
    calls: bothSpans,
    /** Calls that a server failed. */
    errors: bothSpans,
    /** People whose calls reached a server, not those whose calls were all refused; `before` is null until it is counted. */
    people: z.object({ now: z.int(), before: z.int().nullable() }),
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          calls: z.int(),
          errors: z.int(),
          creditsUsed: z.int(),
          /** null: not counted yet. */
          people: z.int().nullable(),
        }),
      )
      .length(overviewDays),
    /** Servers with at least 20 answered calls, the slowest first. */
    slowest: z.array(z.object({ serverId: z.string(), name: z.string(), calls: z.int(), p95Ms: z.int() })).max(5),
    /** Servers with at least 20 calls that they answered (`calls`) or failed (`errors`), the largest share of failed ones first. */
    failing: z.array(z.object({ serverId: z.string(), name: z.string(), calls: z.int(), errors: z.int() })).max(5),
  }),
  errors,
});

export const adminOverviewEndpoints = [getAdminNeeds, getAdminFigures] as const;
