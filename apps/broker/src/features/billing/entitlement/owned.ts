import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import type { Tier } from '@souk/contract/tiers.ts';

type Span = {
  id: string;
  /** payment: a subscription at the payment provider, which renews by itself. */
  source: 'payment' | 'administrator' | 'person';
  /** The last payment failed; usable until the payment provider gives up. */
  pastDue: boolean;
  startedAtMs: number;
  periodEndsAtMs: number | undefined;
  isCancelled: boolean;
};

export type OwnedPlan = Span & {
  planId: string;
  /** Start of this plan: after a change of plan, later than that of the subscription. */
  sinceMs: number;
  name: string;
  tier: Tier;
  nextPlanId: string | undefined;
  nextTier: Tier | undefined;
  /** A higher plan that starts once it is paid; dropped at `untilMs`. */
  pending: { planId: string; untilMs: number } | undefined;
};

export type OwnedServer = Span & {
  serverId: string;
  kind: 'rental' | 'purchase' | 'trial';
  period: 'daily' | 'weekly' | 'monthly' | undefined;
  features: readonly string[];
  /** The plan that, once paid, ends the rental with its period. */
  endsWithPlanId?: string | undefined;
};

/** Plans and servers that a user has paid for or was given, unless they were removed. `isRunning` says what is still running. */
export type Owned = {
  plans: readonly OwnedPlan[];
  servers: readonly OwnedServer[];
};

/** How late the payment provider's event of a renewal may be. */
export const renewalGraceMs = 2 * 24 * 60 * 60_000;

/** Whether it is charged again when its period ends. */
export const renews = ({ source, isCancelled }: Span): boolean => source === 'payment' && !isCancelled;

/** Decides by the clock alone: no job has to run for something to end. */
export function isRunning(span: Span, nowMs: number): boolean {
  if (span.periodEndsAtMs === undefined) return true;
  return nowMs < span.periodEndsAtMs + (renews(span) ? renewalGraceMs : 0);
}

/** Whether it has ended unpaid, and still exists at the payment provider: its owner can pay, cancel or replace it. */
export function isUnpaid(span: Span, nowMs: number): boolean {
  return span.source === 'payment' && span.pastDue && !span.isCancelled && !isRunning(span, nowMs);
}

/** Whether its owner still sees it: running, or unpaid. */
export const isShown = (span: Span, nowMs: number): boolean => isRunning(span, nowMs) || isUnpaid(span, nowMs);

/** @param span is running or unpaid */
export function statusOf(span: Span, nowMs: number): OwnedStatus {
  const { isCancelled, pastDue } = span;
  if (isUnpaid(span, nowMs)) return 'unpaid';
  if (isCancelled) return 'canceled';
  return pastDue ? 'past_due' : 'active';
}
