import { MemberState } from '#features/billing/rent/member-state.tsx';
import { useMissingAccounts } from '#features/upstreams/missing-account.ts';

/** On a card of the shop: whether the person can use a service, which may want their account at it. */
export function MemberCardState({ userId, serverId }: { userId: string; serverId: string }) {
  const isAccountMissing = useMissingAccounts(userId).has(serverId);
  return <MemberState userId={userId} serverId={serverId} isAccountMissing={isAccountMissing} />;
}
