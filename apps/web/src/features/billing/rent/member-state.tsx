import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { myServicesQuery } from '../queries.ts';

/** On a card of the shop: whether a service that the person may use is in their link. Nothing of one that they may not use. */
export function MemberState({ userId, serverId }: { userId: string; serverId: string }) {
  const { data: service } = useQuery({
    ...myServicesQuery(userId),
    select: ({ services }) => services.find(({ id }) => id === serverId) ?? null,
  });
  if (!service?.userAccess.hasAccess) return null;
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-[0.8125rem] text-quiet">
      {service.enabled && <Check aria-hidden size={14} className="text-good" />}
      {service.enabled ? 'Switched on' : 'Switched off'}
    </span>
  );
}
