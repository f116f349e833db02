import { MemberState } from '#features/billing/rent/member-state.tsx';
import { useMissingAccounts } from '#features/upstreams/missing-account.ts';

/** Whether the user can use a service, for its card: it may need their account there. */
export function MemberCardState({ userId, serverId }: { userId: string; serverId: string }) {
  const isAccountMissing = useMissingAccounts(userId).has(serverId);
  return <MemberState userId={userId} serverId={serverId} isAccountMissing={isAccountMissing} />;
}
