import { monthlyText } from '@souk/contract/billing/currencies.ts';
import type { Billing } from '#features/billing/index.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { WhyHidden } from './personal-view.ts';

/**
 * The JSON-RPC code for items of a server that the user does not see. It is in the range that JSON-RPC leaves to servers;
 * SDK 1.x uses -32001 for its own timeout, and MCP has -32002.
 */
export const hiddenErrorCode = -32010;

/** The page of a service, where a user turns it on or gets it. */
export function serviceUrl(publicUrl: string, { id }: CatalogueServer): string {
  return `${publicUrl}/service/${id}`;
}

/**
 * Says in a sentence how a user gets a server that their plan doesn't include, with the plan and the prices that its page
 * shows, and whether they can buy it there.
 */
export type HowToGet = (server: CatalogueServer) => { text: string; isSold: boolean };

export const howToGet =
  ({ shownOffers, payments }: Pick<Billing, 'shownOffers' | 'payments'>): HowToGet =>
  (server) => {
    if (!payments) return { text: 'Your administrator gives access to this service.', isSold: false };
    const plan = shownOffers.planOf(server);
    const rental = server.manifest.billing?.rental;
    const rent = rental && `rent it for ${monthlyText(rental.price, rental.currency)}`;
    if (!plan && !rent) return { text: 'No plan includes this service at the moment.', isSold: false };
    if (!plan) return { text: `You can ${rent}.`, isSold: true };
    const included = `It is included in ${plan.name} (${monthlyText(plan.amount, plan.currency)})`;
    return { text: rent ? `${included}, or you can ${rent}.` : `${included}.`, isSold: true };
  };

/**
 * Says why a user does not see a server, and what they can do about it. Ends with the URL and no full stop, which clients
 * would take for a part of it.
 * @param charge a sentence about what the call cost, before the advice
 */
export function hiddenText(
  why: WhyHidden,
  server: CatalogueServer,
  { url, howToGet: toGet, charge }: { url: string; howToGet: HowToGet; charge?: string },
): string {
  const { name } = server.manifest;
  if (why === 'switched_off') return `${name} is switched off. Turn it on: ${url}`;
  const cost = charge === undefined ? '' : ` ${charge}`;
  const { text, isSold } = toGet(server);
  return `${name} is not in your plan. ${text}${cost} ${isSold ? 'Get it' : 'Its page'}: ${url}`;
}
