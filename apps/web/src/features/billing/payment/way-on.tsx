import { LinkButton } from '#ui/link-button.tsx';
import { rememberPurchase } from '../plans/purchase-intent.ts';
import type { Closed } from './use-closed-text.ts';

/** From a payment page that was closed to what the person has instead, or to the plan, whose dialog asks them again. */
export function WayOn({ next }: Pick<Closed, 'next'>) {
  if (next === undefined) return null;
  if (next === 'billing')
    return (
      <LinkButton size="small" to="/dashboard" search={{ tab: 'billing' }}>
        Billing
      </LinkButton>
    );
  const { planId, name } = next;
  return (
    <LinkButton size="small" to="/plans" search={{ buy: planId }} onClick={() => void rememberPurchase(planId)}>
      Back to {name}
    </LinkButton>
  );
}
