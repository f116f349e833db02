import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { formatMonthly } from '#ui/amount.ts';

/** A server that every signed-in person may use. A server without billing is T0 (clarifications, Marketplace). */
export function isFree({ billing }: Pick<ServerAnswer, 'billing'>): boolean {
  return billing === undefined || tiers[billing.tier].level === 0;
}

/** How a person gets access: "Included in Professional, or rent it for $9.00/month." */
export function howToGetAccess({ billing }: Pick<ServerAnswer, 'billing'>): string {
  const plan = `Included in ${tiers[billing?.tier ?? 'T0'].name}`;
  if (!billing?.rental) return `${plan}.`;
  return `${plan}, or rent it for ${formatMonthly(billing.rental.price, billing.rental.currency)}.`;
}
