import type { UserAccess } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import type { ReactNode } from 'react';
import { formatDay } from '#ui/text/amount.ts';
import { myServicesQuery } from '../queries.ts';

/** Trials are omitted: they are shown next to the offer, since a rental may follow. */
const ownedTexts: Partial<Record<UserAccess['accessType'], string>> = {
  rental: 'Your rental',
  purchase: 'Yours',
  subscription: 'In your plan',
};

/** Shows, on a card of the shop, the offer or what the user already has. */
export function MemberOffer({ userId, serverId, children }: { userId: string; serverId: string; children: ReactNode }) {
  const { data: access, isPending } = useQuery({
    ...myServicesQuery(userId),
    select: ({ services }) => services.find(({ id }) => id === serverId)?.userAccess ?? null,
  });
  if (isPending) return null;
  const text = access
    ? (ownedTexts[access.accessType] ?? (access.plan ? ownedTexts.subscription : undefined))
    : undefined;
  if (access?.accessType === 'trial' && text === undefined) {
    return (
      <>
        <span className="shrink-0 text-[0.8125rem] text-quiet">
          {access.expiresAt === null ? 'Your trial' : `Trial until ${formatDay(access.expiresAt)}`}
        </span>
        {children}
      </>
    );
  }
  if (text === undefined) return children;
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-[0.8125rem] text-quiet">
      <Check aria-hidden size={14} className="text-good" />
      {text}
    </span>
  );
}
