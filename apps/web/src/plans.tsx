import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PlansScreen } from '#features/billing/plans/plans-screen.tsx';
import { PlanServices, useArePlanServicesPending } from '#features/catalogue/plan-services.tsx';
import { profileQuery } from '#features/identity/queries.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';

/** /plans with the session. Loaded when its address is opened. */
export function Plans({ buy }: { buy: string | undefined }) {
  const { user, isRestoring, session } = useSession();
  const navigate = useNavigate();
  const areServicesPending = useArePlanServicesPending();
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: user !== undefined });
  return (
    <PlansScreen
      shopper={user && { userId: user.id, plan: profile.data }}
      isLoading={isRestoring || areServicesPending || (user !== undefined && profile.isPending)}
      buy={buy}
      onTaken={() => void navigate({ to: '/plans', replace: true, resetScroll: false })}
      services={(plan) => <PlanServices plan={plan} />}
      onSignIn={(path) => session.startSignIn(path)}
    />
  );
}
