import { Suspense } from 'react';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { lazyPart } from '#ui/lazy-part.ts';
import type { CardOfferProps } from './card-offer.ts';

/** Loaded for signed-in users only. */
const MemberOffer = lazyPart(() => import('#features/billing/rent/member-offer.tsx'), 'MemberOffer');

/**
 * The offer of a card for the session's user. Empty until the session is known, so that a renter is offered no second
 * rental.
 */
export function OwnOffer({ serverId, children }: CardOfferProps) {
  const { user, isRestoring } = useSession();
  if (isRestoring) return null;
  if (!user) return children;
  return (
    <Suspense fallback={null}>
      <MemberOffer userId={user.id} serverId={serverId}>
        {children}
      </MemberOffer>
    </Suspense>
  );
}

const MemberCardState = lazyPart(() => import('./member-card-state.tsx'), 'MemberCardState');

/** Says whether a card's service is switched on for the signed-in user. */
export function OwnState({ serverId }: { serverId: string }) {
  const { user } = useSession();
  if (!user) return null;
  return (
    <Suspense fallback={null}>
      <MemberCardState userId={user.id} serverId={serverId} />
    </Suspense>
  );
}
