import type { McpService } from '@souk/contract/billing/billing.ts';
import { downText } from '#web/texts/down-text.ts';
import { whileDownText } from './service-texts.ts';

/** On a card of a service that is down: since when, why, and what that does to the person. Nothing of one that answers. */
export function DownFacts({ service: { down, userAccess } }: { service: McpService }) {
  if (!down) return null;
  return (
    <div className="text-[0.8125rem]">
      <p className="wrap-anywhere text-bad">{downText(down)}</p>
      <p className="mt-0.5 text-quiet">{whileDownText(userAccess)}</p>
    </div>
  );
}
