import type { McpService } from '@souk/contract/billing/billing.ts';
import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { tiers } from '@souk/contract/tiers.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';

export type Own = {
  /** Undefined if they could not be fetched. */
  services: readonly McpService[] | undefined;
  subscriptions: readonly OwnSubscription[] | undefined;
};

/** Says why a payment page was closed: the user already has what it was for. */
export function hadAccessText({ type, mcpId }: PaymentSession['metadata'], own: Own): string {
  const reason =
    type === 'rental' ? rentedText(own.services?.find(({ id }) => id === mcpId)) : planText(own.subscriptions ?? []);
  return `${reason}, so this payment page was closed. You were not charged.`;
}

function rentedText(service: McpService | undefined): string {
  if (!service) return 'You had access to this service already';
  const { name, userAccess } = service;
  if (userAccess.accessType === 'rental') return `You rent ${name} now`;
  if (userAccess.accessType === 'purchase') return `${name} is yours now`;
  if (userAccess.plan) return `You have the ${userAccess.plan.name} plan now, which includes ${name}`;
  return `You had access to ${name} already`;
}

/** Names the highest plan, which includes what the others do. */
function planText(subscriptions: readonly OwnSubscription[]): string {
  const [highest] = subscriptions
    .filter(({ status }) => status !== 'unpaid')
    .toSorted((one, other) => tiers[other.tier].level - tiers[one.tier].level);
  return highest ? `You have the ${highest.planName} plan now` : 'You had a plan already';
}
