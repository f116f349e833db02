import { tiers } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { WhyHidden } from './personal-view.ts';

/**
 * The JSON-RPC code for what a person sees nothing of. In the range that JSON-RPC leaves to servers; SDK 1.x uses -32001 for
 * its own time-out, and -32002 is MCP's.
 */
export const hiddenErrorCode = -32010;

/** The page of a service, on which a person switches it on or gets it. */
export function serviceUrl(publicUrl: string, { id }: CatalogueServer): string {
  return `${publicUrl}/service/${id}`;
}

/**
 * Why a person sees nothing of a server, and what they can do about it, with the tier and rental of its manifest. It ends
 * with the URL and no full stop, which clients would take for a part of it.
 * @param charge a sentence about what a call to a server that is not included cost, before the advice
 */
export function hiddenText(why: WhyHidden, { manifest }: CatalogueServer, url: string, charge?: string): string {
  const { name, billing } = manifest;
  if (why === 'switched_off') return `${name} is switched off. Turn it on: ${url}`;
  const tier = tiers[billing?.tier ?? 'T0'].name;
  const rental = billing?.rental ? ', or can be rented' : '';
  const cost = charge === undefined ? '' : ` ${charge}`;
  return `${name} is not in your plan. It comes with plans of the ${tier} tier${rental}.${cost} Get it: ${url}`;
}
