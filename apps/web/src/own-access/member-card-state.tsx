import { MemberState } from '#features/billing/rent/member-state.tsx';
import { useMissingAccounts } from '#features/upstreams/missing-account.ts';

/** Says on a service's card whether the user can use it: it may need their account there. */
export function MemberCardState({ userId, serverId }: { userId: string; serverId: string }) {
  const isAccountMissing = useMissingAccounts(userId).has(serverId);
  return <MemberState userId={userId} serverId={serverId} isAccountMissing={isAccountMissing} />;
}
