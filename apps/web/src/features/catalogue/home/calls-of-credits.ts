import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { counted, formatCount } from '#ui/text/amount.ts';

type Priced = Pick<ServerAnswer, 'displayName' | 'creditsFrom'>;

/**
 * Says how many calls credits buy, for the servers with the cheapest and the dearest calls: 'Enough for 1,000 calls to
 * Travel at 1 credit, or 333 to Travel Pro at 3.' Undefined if they buy none, or no call costs credits.
 */
export function callsOfCredits(servers: readonly Priced[], credits: number): string | undefined {
  const priced = servers
    .flatMap(({ displayName, creditsFrom = 0 }) => (creditsFrom > 0 ? [{ displayName, price: creditsFrom }] : []))
    .filter(({ price }) => price <= credits)
    .toSorted((a, b) => a.price - b.price || a.displayName.localeCompare(b.displayName));
  const [cheapest] = priced;
  const dearest = priced.at(-1);
  if (!cheapest || !dearest) return undefined;
  const calls = ({ price }: { price: number }) => Math.floor(credits / price);
  const first = `Enough for ${counted(calls(cheapest), 'call')} to ${cheapest.displayName} at ${counted(cheapest.price, 'credit')}`;
  if (dearest.price === cheapest.price) return `${first}.`;
  return `${first}, or ${formatCount(calls(dearest))} to ${dearest.displayName} at ${formatCount(dearest.price)}.`;
}
