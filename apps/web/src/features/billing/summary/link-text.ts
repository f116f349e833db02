import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import { counted, formatCount } from '#ui/text/amount.ts';
import { listed } from '#web/texts/listed.ts';
import { tierDescriptions } from '../tier-descriptions.ts';

/** Services listed by name. Further ones are only counted, so that the header keeps its two lines. */
const namedServices = 2;

type Owned = Pick<SubscriptionAnswer['subscription'], 'rentals' | 'purchases' | 'trials'>;

/** Says what the link contains: the services of the highest tier, and what else the user rents, owns or tries. */
export function linkText(highest: Tier, { rentals, purchases, trials }: Owned): string {
  const included = tierDescriptions[highest];
  if (highest === 'T3') return included;
  const parts = [
    ownText(
      'rent',
      rentals.filter(({ status, isOffered }) => status !== 'unpaid' && isOffered),
    ),
    ownText('own', purchases),
    ownText(
      'try',
      trials.filter(({ isOffered }) => isOffered),
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? included : `${included} You also ${listed(parts)}.`;
}

function ownText(verb: string, services: readonly { name: string }[]): string | undefined {
  if (services.length === 0) return undefined;
  const names = services.map(({ name }) => name);
  return `${verb} ${names.length > namedServices ? `${formatCount(names.length)} services` : listed(names)}`;
}

/**
 * Mentions welcome credits in the dashboard's header. Next to a shortened balance ("1K") it gives no figure, since the
 * two would not add up; Billing lists each part in full.
 */
export function welcomeText(welcome: number, available: number): string {
  if (available >= 1000) return 'Your credits include welcome credits.';
  return `You have ${counted(welcome, 'welcome credit')}.`;
}
