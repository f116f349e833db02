import type { McpService } from '@souk/contract/billing/billing.ts';
import type { IncludingPlan, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { formatMonthly } from '#ui/text/amount.ts';

/** A server from the marketplace or from the user's own list. */
type Billed = { billing?: ServerAnswer['billing'] | McpService['billing'] };

/**
 * Returns whether every signed-in user may use a server. A server without billing is T0 (clarifications, Marketplace).
 */
export function isFree({ billing }: Billed): boolean {
  return !billing || tiers[billing.tier].level === 0;
}

/**
 * "$9/month" of a server that can be rented. A free server shows no price even if its manifest has one: renting it
 * would add nothing.
 * @param sells false: nothing is sold, so there are no prices
 */
export function rentalPrice(server: Billed, sells: boolean): string | undefined {
  const rental = server.billing?.rental;
  return sells && rental && !isFree(server) ? formatMonthly(rental.price, rental.currency) : undefined;
}

/** A plan with its name and price: "Pro ($19/month)". */
export function planPrice({ name, amount, currency }: Omit<IncludingPlan, 'planId'>): string {
  return `${name} (${formatMonthly(amount, currency)})`;
}

/**
 * Says what a server costs in addition to its tier: nothing to add, or credits for some calls; undefined if every call
 * is included.
 */
export function callsText({ billing, creditsFrom }: Billed & Pick<ServerAnswer, 'creditsFrom'>): string | undefined {
  if (creditsFrom === undefined) return undefined;
  return isFree({ billing }) ? 'Free to add, some calls cost credits' : 'Some calls cost credits';
}

export const planAnchor = (planId: string): string => `plan-${planId}`;
