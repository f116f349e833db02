import type { UserAccess } from '@souk/contract/billing/billing.ts';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { formatDay } from '#ui/text/amount.ts';

/**
 * Returns why the user cannot rent a service that they already have; undefined if they can. The broker applies the same
 * rule.
 */
export function ownedReason(
  { accessType, expiresAt, isCancelled, plan }: UserAccess,
  name: string,
): string | undefined {
  if (accessType === 'rental') {
    const until =
      expiresAt === null
        ? ''
        : isCancelled
          ? `, until ${formatDay(expiresAt)}`
          : `. It renews on ${formatDay(expiresAt)}`;
    return `You already rent ${name}${until}.`;
  }
  if (accessType === 'purchase') return `${name} is yours already.`;
  // this holds during a trial too; after a plan that ends with its period, the user may rent
  if (!plan || plan.isCancelled) return undefined;
  return plan.includedUntil === null
    ? `Your plan already includes ${name}.`
    : `Your plan includes ${name} until ${formatDay(plan.includedUntil)}. You can rent it from then on.`;
}

/** Replaces an offer: says what the user has, and where to manage it. */
export function Owned({ text, access }: { text: string; access: UserAccess }) {
  return (
    <Notice
      tone="good"
      action={
        <LinkButton
          size="small"
          to="/dashboard"
          search={{ tab: access.accessType === 'subscription' ? 'billing' : 'services' }}
        >
          Manage
        </LinkButton>
      }
    >
      {text}
    </Notice>
  );
}
