import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

// The administrators' first page: items that need attention, and the shop's figures.

const isoTime = z.iso.datetime();
/** Repeats adminErrors: every administrator page makes the first call below, and importing them would load other schemas too. */
const errors = ['admin_required', 'unauthenticated', 'authentication_required'] as const;
/** Items listed per kind. */
export const shownNeeds = 20;

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    /** Number of all items, listed or not. */
    total: z.int(),
    items: z.array(item).max(shownNeeds),
  });

/** null: a deleted or unknown account. */
const person = { userId: z.string().nullable(), email: z.string().nullable() };
const money = { amountCents: z.int(), currency: z.string() };

const needsSchema = z.object({
  toolsUnderReview: listOf(z.object({ serverId: z.string(), name: z.string(), tools: z.int() })),
  /** Versions staged by administrators. */
  stagedVersions: listOf(z.object({ serverId: z.string(), name: z.string(), version: z.string() })),
  /** Servers that the responding broker found failing. `since` is null if the failure began before this was recorded. */
  failingServers: listOf(
    z.object({
      serverId: z.string(),
      name: z.string(),
      reason: z.string().nullable(),
      /** Technical cause, as on the server's page; null: unknown. */
      detail: z.string().nullable(),
      since: isoTime.nullable(),
    }),
  ),
  /** Server certificates that expire within 14 days or have expired, as last seen. */
  endingCertificates: listOf(
    z.object({
      serverId: z.string(),
      name: z.string(),
      /** null: the certificate does not name one. */
      issuer: z.string().nullable(),
      validUntil: isoTime,
      hasExpired: z.boolean(),
    }),
  ),
  /** Servers where sign-in is blocked until an administrator decides about the authorization server that they name. */
  signInsToConfirm: listOf(z.object({ serverId: z.string(), name: z.string(), issuer: z.string(), since: isoTime })),
  /** Plans and rentals whose last payment failed; access continues while the provider retries. */
  failedRenewals: listOf(
    z.object({
      ...person,
      kind: z.enum(['plan', 'rental']),
      /** Name of the plan or server. */
      what: z.string(),
      since: isoTime.nullable(),
    }),
  ),
  /** Disputes that need a response, the earliest deadline first. */
  disputes: listOf(
    z.object({
      ...person,
      id: z.string(),
      /** The purchase; null: unknown payment. */
      description: z.string().nullable(),
      /** Provider's term, for example fraudulent. */
      reason: z.string(),
      ...money,
      /** Provider's deadline for a response. */
      dueBy: isoTime.nullable(),
    }),
  ),
  /** Events of the payment provider whose processing failed and is retried. */
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
  /** Payments that differ from their order, or whose refund failed. */
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
   * Refunds by administrators in the last 90 days that the provider refused or the bank did not execute. An item disappears
   * once the payment is refunded otherwise or the bank has returned the money.
   */
  failedRefunds: listOf(
    z.object({
      ...person,
      refundId: z.string(),
      /** The purchase; null: the payment is no longer known. */
      description: z.string().nullable(),
      ...money,
      /** Provider's reason. */
      reason: z.string().nullable(),
      since: isoTime.nullable(),
    }),
  ),
  /** Repairs by the reconcilers in the last 7 days, newest first: an event did not arrive, or its processing failed. */
  foundPayments: listOf(
    z.object({ ...person, kind: z.enum(['payment', 'subscription']), subject: z.string(), at: isoTime }),
  ),
  /** Accounts whose figures did not add up in the last check; normally none. `checkedAt` is null before the first check. */
  ledgerFaults: listOf(z.object({ userId: z.string(), fault: z.string() })).extend({ checkedAt: isoTime.nullable() }),
});
export type Needs = z.infer<typeof needsSchema>;

export const getAdminNeeds = endpoint({
  id: 'getAdminNeeds',
  method: 'GET',
  path: '/admin/overview/needs',
  summary: 'Lists what needs an administrator: reviews, staged versions, failing servers and payment problems',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    /** Total number of items. */
    waiting: z.int(),
    needs: needsSchema,
  }),
  errors,
});

/** A figure for the last 30 days (UTC, including today) and for the 30 days before. */
const bothSpans = z.object({ now: z.int(), before: z.int() });
const paidFor = z.object({
  /** Number at the end of each span, without grants by administrators. */
  active: bothSpans,
  began: bothSpans,
  ended: bothSpans,
});
export const overviewDays = 30;

export const getAdminFigures = endpoint({
  id: 'getAdminFigures',
  method: 'GET',
  path: '/admin/overview/figures',
  summary: "Returns the shop's figures for the last 30 days and the 30 days before",
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    /** false: demo payments, or a test key. */
    livemode: z.boolean(),
    /** Payments minus refunds, without tax; empty if there were none. */
    revenue: z
      .array(
        bothSpans.extend({
          currency: z.string(),
          byDay: z.array(z.int()).length(overviewDays),
          /** Tax paid minus tax refunded; the shop remits it. */
          tax: bothSpans,
        }),
      )
      .max(200),
    plans: paidFor,
    rentals: paidFor,
    credits: z.object({
      /** Credits sold in packages and with plans, minus those clawed back. */
      sold: bothSpans,
      used: bothSpans,
      /** Paid credits not used at the end of each span: a liability. */
      owed: bothSpans,
      /** Granted credits not used at the end of each span. */
      given: bothSpans,
    }),
    /** Answered tool calls. Refused calls do not count. */
    calls: bothSpans,
    /** Calls that failed at a server. */
    errors: bothSpans,
    /** Users with at least one call that reached a server; `before` is null until it has been counted. */
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
    /** Servers with at least 20 answered calls, slowest first. */
    slowest: z.array(z.object({ serverId: z.string(), name: z.string(), calls: z.int(), p95Ms: z.int() })).max(5),
    /** Servers with at least 20 answered (`calls`) or failed (`errors`) calls, highest failure rate first. */
    failing: z.array(z.object({ serverId: z.string(), name: z.string(), calls: z.int(), errors: z.int() })).max(5),
  }),
  errors,
});

export const adminOverviewEndpoints = [getAdminNeeds, getAdminFigures] as const;
