import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { myServicesQuery } from '../queries.ts';

type MemberStateProps = {
  userId: string;
  serverId: string;
  isAccountMissing: boolean;
};

/** Says, on a card of the shop, whether a service is in the user's link. Empty if they may not use it. */
export function MemberState({ userId, serverId, isAccountMissing }: MemberStateProps) {
  const { data: service } = useQuery({
    ...myServicesQuery(userId),
    select: ({ services }) => services.find(({ id }) => id === serverId) ?? null,
  });
  if (!service?.userAccess.hasAccess) return null;
  const isUsable = service.enabled && !isAccountMissing;
  const text = isUsable ? 'Switched on' : service.enabled ? 'Needs your account' : 'Switched off';
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-[0.8125rem] text-quiet">
      {isUsable && <Check aria-hidden size={14} className="text-good" />}
      {text}
    </span>
  );
}
