import type { McpService } from '@souk/contract/billing/billing.ts';
import type { IncludingPlan, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { formatMonthly } from '#ui/text/amount.ts';

/** A server, as the marketplace lists it or the person's own list does. */
type Billed = { billing?: ServerAnswer['billing'] | McpService['billing'] };

/** A server that every signed-in person may use. A server without billing is T0 (clarifications, Marketplace). */
export function isFree({ billing }: Billed): boolean {
  return !billing || tiers[billing.tier].level === 0;
}

/**
 * "$9/month" of a server that people rent. A free one shows no price, also where its manifest has one: paying it would bring
 * nothing. @param sells false where nothing is sold: then there are no prices
 */
export function rentalPrice(server: Billed, sells: boolean): string | undefined {
  const rental = server.billing?.rental;
  return sells && rental && !isFree(server) ? formatMonthly(rental.price, rental.currency) : undefined;
}

/** A plan by the name and at the price that it is sold: "Pro ($19/month)". */
export function planPrice({ name, amount, currency }: Omit<IncludingPlan, 'planId'>): string {
  return `${name} (${formatMonthly(amount, currency)})`;
}

/** What beside its tier a server costs: nothing to add, or credits for some calls; undefined where every call is included. */
export function callsText({ billing, creditsFrom }: Billed & Pick<ServerAnswer, 'creditsFrom'>): string | undefined {
  if (creditsFrom === undefined) return undefined;
  return isFree({ billing }) ? 'Free to add, some calls cost credits' : 'Some calls cost credits';
}

/** Where a plan stands on the page of plans. */
export const planAnchor = (planId: string): string => `plan-${planId}`;
