import type { OwnedStatus, UserAccess } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';

export type CancelledRental = {
  name: string;
  endsAt: string | null;
  status?: OwnedStatus | undefined;
  /** The user's plan that also includes the service. */
  plan: UserAccess['plan'];
};

/**
 * Says what the user keeps after canceling the rental of a service that their plan includes. Undefined if no plan does,
 * or if it ends first.
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
