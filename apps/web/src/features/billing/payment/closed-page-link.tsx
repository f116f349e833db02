import { LinkButton } from '#ui/link-button.tsx';
import { rememberPurchase } from '../plans/purchase-intent.ts';
import type { Closed } from './use-closed-text.ts';

export function ClosedPageLink({ next }: Pick<Closed, 'next'>) {
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
