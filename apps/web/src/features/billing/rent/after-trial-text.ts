import type { McpService, UserAccess } from '@souk/contract/billing/billing.ts';
import { formatDay, formatMonthly } from '#ui/text/amount.ts';

const dayMs = 24 * 60 * 60_000;

export function afterTrialText(
  { name, billing }: Pick<McpService, 'name' | 'billing'>,
  days: number,
  nowMs: number,
): string {
  const { rental, plan } = billing ?? {};
  const ways = [
    rental && `rent it for ${formatMonthly(rental.price, rental.currency)}`,
    plan && `have the ${plan.name} plan`,
  ].filter(Boolean);
  const unless = ways.length === 0 ? '' : `, unless you ${ways.join(' or ')}`;
  const end = formatDay(new Date(nowMs + days * dayMs).toISOString());
  return `The trial ends automatically on ${end}: ${name} then leaves your link${unless}.`;
}

/**
 * Says what the user's plan includes once their trial has ended. Undefined: no plan includes the service then.
 * @param trial.plan the plan that also includes the service
 */
export function planAfterTrial({
  plan,
  expiresAt,
}: Pick<UserAccess, 'plan' | 'expiresAt'>): { text: string; isGoingOn: boolean } | undefined {
  if (!plan) return undefined;
  const { name, includedUntil } = plan;
  if (includedUntil === null) return { text: 'Nothing is charged when it ends: your plan continues.', isGoingOn: true };
  if (expiresAt !== null && Date.parse(includedUntil) <= Date.parse(expiresAt)) return undefined;
  return {
    text: `Nothing is charged when it ends: your ${name} plan includes it until ${formatDay(includedUntil)}.`,
    isGoingOn: false,
  };
}
