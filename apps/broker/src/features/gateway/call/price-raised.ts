import type { PriceRise, Refusal } from '#features/billing/index.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Now } from '../view/personal-view.ts';
import { shownName } from '../view/request-context.ts';
import type { Call, FoundTarget } from './call.ts';
import { chargingUnavailable } from './call-failure.ts';

/**
 * The refusal of a call whose price rose above what the user has agreed to: it is not sent and costs nothing. `rise` is
 * absent if the agreed price could not be read.
 */
type PriceRefusal = { rise?: PriceRise; refusal: Refusal };

/**
 * Checks whether the user has to approve the price first. Later rounds of a call cost the same as the first. Returns no
 * promise if nothing has to be read, as for nearly every call.
 */
export function findPriceRise(
  { logical, context }: Call,
  { server, tool }: FoundTarget,
  { priceRises, riseUrl, log }: Pick<GatewayParts, 'priceRises' | 'riseUrl' | 'log'>,
): Now<PriceRefusal | undefined> {
  if (!tool || logical.credits !== undefined) return undefined;
  const rise = priceRises.unapproved(context.caller.userId, server, tool);
  if (rise === undefined) return undefined;
  const name = shownName(context, tool);
  const refuse = (found: PriceRise | undefined) =>
    found && { rise: found, refusal: refusalOf(found, name, riseUrl(found)) };
  if (!(rise instanceof Promise)) return refuse(rise);
  return rise.then(refuse, (error: unknown) => {
    log.error({ err: error }, 'the price that a user agreed to could not be read: the call is refused');
    return { refusal: { kind: 'refusal', code: 'charging_unavailable', text: chargingUnavailable } };
  });
}

function refusalOf(rise: PriceRise, name: string, url: string): Refusal {
  return {
    kind: 'refusal',
    code: 'price_raised',
    text: `${riseText(rise, name)}. Approve it: ${url}`,
    facts: { old: rise.oldCredits, new: rise.newCredits, url },
  };
}

/** 'The price of search rose from 5 to 500 credits'. */
export function riseText({ oldCredits, newCredits }: PriceRise, name: string): string {
  return `The price of ${name} rose from ${oldCredits} to ${newCredits} ${newCredits === 1 ? 'credit' : 'credits'}`;
}
