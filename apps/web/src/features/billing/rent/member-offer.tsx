import type { UserAccess } from '@souk/contract/billing.ts';
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import type { ReactNode } from 'react';
import { myServicesQuery } from '../queries.ts';

/** A trial is not among them: who tries a service may rent it. */
const ownedTexts: Partial<Record<UserAccess['accessType'], string>> = {
  rental: 'Your rental',
  purchase: 'Yours',
  subscription: 'In your plan',
};

export type MemberOfferProps = {
  userId: string;
  serverId: string;
  /** The offer. */
  children: ReactNode;
};

/** On a card of the shop: what the person has already, or the offer. */
export function MemberOffer({ userId, serverId, children }: MemberOfferProps) {
  const { data: access, isPending } = useQuery({
    ...myServicesQuery(userId),
    select: ({ services }) => services.find(({ id }) => id === serverId)?.userAccess ?? null,
  });
  if (isPending) return null;
  const text = access ? ownedTexts[access.accessType] : undefined;
  if (text === undefined) return children;
  return (
    <span className="ml-auto inline-flex items-center gap-1.5 font-medium">
      <Check aria-hidden size={15} className="text-good" />
      {text}
    </span>
  );
}
