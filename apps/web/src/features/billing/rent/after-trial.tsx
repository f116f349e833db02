import type { McpService, UserAccess } from '@souk/contract/billing/billing.ts';
import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { rentalPrice } from '#web/texts/access-text.ts';
import { PlanLink } from '#web/own-access/plan-link.tsx';
import { planAfterTrial } from './after-trial-text.ts';

export type AfterTrialProps = {
  billing: McpService['billing'] | ServerAnswer['billing'];
  access: Pick<UserAccess, 'plan' | 'expiresAt'>;
};

/** Says, during a trial, that its end costs nothing, and how to keep the service. */
export function AfterTrial({ billing, access }: AfterTrialProps) {
  const own = planAfterTrial(access);
  if (own?.isGoingOn) return own.text;
  const price = rentalPrice({ billing }, true);
  const plan = billing?.plan;
  const end = own?.text ?? 'Nothing is charged when it ends.';
  if (!plan) return `${end}${price === undefined ? '' : ` After that you can rent it for ${price}.`}`;
  return (
    <>
      {end} After that it is included in <PlanLink plan={plan} />
      {price === undefined ? '.' : `, or you can rent it for ${price}.`}
    </>
  );
}
