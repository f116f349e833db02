import { useQuery } from '@tanstack/react-query';
import { Notice } from '#ui/state/notice.tsx';
import { noSubscription, subscriptionQuery } from './queries.ts';

export type ReplacesUnpaidProps = {
  userId: string;
  /** The service that the user is about to rent. Undefined: they are about to pay for a plan. */
  serverId?: string;
};

/** Says, before a payment, which unpaid plan or rental ends with it. */
export function ReplacesUnpaid({ userId, serverId }: ReplacesUnpaidProps) {
  const { data } = useQuery(subscriptionQuery(userId));
  const { subscriptions, rentals } = (data ?? noSubscription).subscription;
  const names =
    serverId === undefined
      ? subscriptions.filter(({ status }) => status === 'unpaid').map(({ planName }) => `${planName} plan`)
      : rentals
          .filter(({ status, mcpId }) => status === 'unpaid' && mcpId === serverId)
          .map(({ name }) => `earlier rental of ${name}`);
  return names.map((name) => (
    <Notice key={name}>Your {name} was not paid. It ends once you pay here, and nothing more is charged for it.</Notice>
  ));
}
