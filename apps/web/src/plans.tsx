import { useQuery } from '@tanstack/react-query';
import { PlansScreen } from '#features/billing/plans/plans-screen.tsx';
import { profileQuery } from '#features/identity/queries.ts';
import { useSession } from '#features/identity/session-provider.tsx';

/** /plans, with the session that it needs. Loaded when its address is opened. */
export function Plans({ buy }: { buy: string | undefined }) {
  const { user, isRestoring, session } = useSession();
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: user !== undefined });
  return (
    <PlansScreen
      shopper={user && { userId: user.id, plan: profile.data }}
      isRestoring={isRestoring || (user !== undefined && profile.isPending)}
      buy={buy}
      onSignIn={(path) => session.startSignIn(path)}
    />
  );
}
