import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import type { Tier } from '@souk/contract/tiers.ts';

/** A time span for which something was paid or granted. */
type Span = {
  id: string;
  /** payment: a subscription at the payment provider, which renews itself. */
  source: 'payment' | 'administrator' | 'person';
  /** The last payment failed; it stays usable until the payment provider gives up. */
  pastDue: boolean;
  startedAtMs: number;
  /** undefined: it never ends. */
  periodEndsAtMs: number | undefined;
  /** It ends with its period. */
  isCancelled: boolean;
};

/** A plan of a person. */
export type OwnedPlan = Span & {
  planId: string;
  /** When this plan began: after a change of plan, later than the subscription. */
  sinceMs: number;
  name: string;
  tier: Tier;
  /** It begins with the next period. */
  nextPlanId: string | undefined;
  /** The tier of that plan. */
  nextTier: Tier | undefined;
  /** A higher one that begins once it is paid; nothing is changed if it is not until then. */
  pending: { planId: string; untilMs: number } | undefined;
};

/** One server of a person. */
export type OwnedServer = Span & {
  serverId: string;
  kind: 'rental' | 'purchase' | 'trial';
  period: 'daily' | 'weekly' | 'monthly' | undefined;
  features: readonly string[];
  /** The plan whose payment ends it with its period. */
  endsWithPlanId?: string | undefined;
};

/** What a person was given or has paid for and was not taken away. What of it is still running, `isRunning` says. */
export type Owned = {
  plans: readonly OwnedPlan[];
  servers: readonly OwnedServer[];
};

/** How long a renewal that the payment provider has not told us of yet may be late. */
export const renewalGraceMs = 2 * 24 * 60 * 60_000;

/** Whether it is paid for again when its period ends. */
export const renews = ({ source, isCancelled }: Span): boolean => source === 'payment' && !isCancelled;

/** By the clock alone: no job has to run for something to end. */
export function isRunning(span: Span, nowMs: number): boolean {
  if (span.periodEndsAtMs === undefined) return true;
  return nowMs < span.periodEndsAtMs + (renews(span) ? renewalGraceMs : 0);
}

/**
 * It has ended since its last period was not paid, and is still there at the payment provider: its owner can pay, cancel or
 * replace it.
 */
export function isUnpaid(span: Span, nowMs: number): boolean {
  return span.source === 'payment' && span.pastDue && !span.isCancelled && !isRunning(span, nowMs);
}

/** Whether its owner still sees it: also what was not paid, and is still to be ended or paid. */
export const isShown = (span: Span, nowMs: number): boolean => isRunning(span, nowMs) || isUnpaid(span, nowMs);

/** @param span is running or unpaid */
export function statusOf(span: Span, nowMs: number): OwnedStatus {
  const { isCancelled, pastDue } = span;
  if (isUnpaid(span, nowMs)) return 'unpaid';
  if (isCancelled) return 'canceled';
  return pastDue ? 'past_due' : 'active';
}
