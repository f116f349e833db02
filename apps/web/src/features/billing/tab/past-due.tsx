import type { SubscriptionAnswer } from '@souk/contract/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { Notice } from '#ui/notice.tsx';
import { capabilitiesQuery } from '#web/capabilities-query.ts';

/** Says which renewals failed. Access stays while the provider tries again. */
export function PastDue({ owned }: { owned: SubscriptionAnswer['subscription'] }) {
  const { data } = useQuery(capabilitiesQuery);
  const nameOf = (id: string) => data?.servers.find(({ serverId }) => serverId === id)?.displayName ?? id;
  const names = [
    ...owned.subscriptions.filter(({ status }) => status === 'past_due').map(({ planName }) => planName),
    ...owned.rentals.filter(({ status }) => status === 'past_due').map(({ mcpId }) => nameOf(mcpId)),
  ];
  if (names.length === 0) return null;
  return (
    <Notice tone="bad">
      <strong className="font-medium">The last payment for {names.join(' and ')} failed.</strong> You keep access while
      the payment is tried again. If it keeps failing, access ends.
    </Notice>
  );
}
