import type { OwnedStatus, UserAccess } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';

export type CancelledRental = {
  name: string;
  endsAt: string | null;
  status?: OwnedStatus | undefined;
  /** A plan of the person that includes the service as well. */
  plan: UserAccess['plan'];
};

/**
 * Says what a person keeps who cancels the rental of a service that their plan includes. Undefined where no plan does, or where it
 * ends first.
 */
export function keptByPlanText({ name, endsAt, status, plan }: CancelledRental): string | undefined {
  if (!plan) return undefined;
  const { includedUntil } = plan;
  if (includedUntil !== null && endsAt !== null && Date.parse(includedUntil) <= Date.parse(endsAt)) return undefined;
  const kept =
    includedUntil === null
      ? `Your ${plan.name} plan includes ${name}: you lose nothing.`
      : `Your ${plan.name} plan includes ${name} until ${formatDay(includedUntil)}, and then you lose access to it.`;
  if (status === 'unpaid' || status === 'past_due')
    return `${kept} The rental ends now, and nothing more is charged. This action cannot be undone.`;
  if (endsAt === null) return `${kept} This action cannot be undone.`;
  return `${kept} The rental ends on ${formatDay(endsAt)}, and you can resume it until then.`;
}
