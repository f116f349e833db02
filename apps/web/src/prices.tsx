import { useRouter } from '@tanstack/react-router';
import { PriceRisesScreen } from '#features/billing/prices/price-rises-screen.tsx';
import type { NamedTool } from '#features/billing/queries.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';

/** /prices with the session. Loaded when its address is opened. */
export function Prices({ named }: { named: NamedTool | undefined }) {
  const { user, isRestoring, session } = useSession();
  const router = useRouter();
  return (
    <PriceRisesScreen
      key={user?.id}
      userId={user?.id}
      named={named}
      isRestoring={isRestoring}
      onSignIn={() => session.startSignIn(router.state.location.href)}
    />
  );
}
