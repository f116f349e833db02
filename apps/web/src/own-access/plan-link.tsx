import type { IncludingPlan, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { TextLink } from '#ui/text/text-link.tsx';
import { sells } from '#web/config.ts';
import { planAnchor, planPrice, rentalPrice } from '../texts/access-text.ts';

/** "Pro ($19/month)", linked to the plan. */
export function PlanLink({ plan }: { plan: IncludingPlan }) {
  return (
    // above the link that covers a whole card
    <TextLink to="/plans" hash={planAnchor(plan.planId)} className="relative z-1 py-1 tabular-nums">
      {planPrice(plan)}
    </TextLink>
  );
}

/** Says how to get access: "Included in Pro ($19/month), or rent it for $9/month." */
export function HowToGetAccess({ server }: { server: Pick<ServerAnswer, 'billing'> }) {
  if (!sells) return 'Your administrator gives access to this service.';
  const plan = server.billing?.plan;
  const price = rentalPrice(server, sells);
  if (!plan) return price === undefined ? 'No plan includes this service at the moment.' : `Rent it for ${price}.`;
  return (
    <>
      Included in <PlanLink plan={plan} />
      {price === undefined ? '.' : `, or rent it for ${price}.`}
    </>
  );
}
