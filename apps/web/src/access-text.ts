import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { formatMonthly } from '#ui/amount.ts';

type Billed = Pick<ServerAnswer, 'billing'>;

/** A server that every signed-in person may use. A server without billing is T0 (clarifications, Marketplace). */
export function isFree({ billing }: Billed): boolean {
  return billing === undefined || tiers[billing.tier].level === 0;
}

/** "$9.00/month" of a server that can be rented. @param sells false where nothing is sold: then there are no prices */
export function rentalPrice({ billing }: Billed, sells: boolean): string | undefined {
  return sells && billing?.rental ? formatMonthly(billing.rental.price, billing.rental.currency) : undefined;
}

/** "Included in Basic" of a server that a plan brings. @param sells see rentalPrice */
export function includedIn(server: Billed, sells: boolean): string | undefined {
  return sells && !isFree(server) ? planOf(server) : undefined;
}

const planOf = ({ billing }: Billed) => `Included in ${tiers[billing?.tier ?? 'T0'].name}`;

/** How a person gets access: "Included in Professional, or rent it for $9.00/month." @param sells see rentalPrice */
export function howToGetAccess(server: Billed, sells: boolean): string {
  if (!sells) return 'Your administrator gives access to this service.';
  const plan = planOf(server);
  const price = rentalPrice(server, sells);
  return price === undefined ? `${plan}.` : `${plan}, or rent it for ${price}.`;
}
