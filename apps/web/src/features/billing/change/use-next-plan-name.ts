import { useQuery } from '@tanstack/react-query';
import { offersQuery } from '../queries.ts';

/**
 * Returns the name of the plan that begins with the next period, or once it is paid.
 * @param nextPlanId null: there is none
 */
export function useNextPlanName(nextPlanId: string | null): string | undefined {
  const { data } = useQuery({ ...offersQuery, enabled: nextPlanId !== null });
  if (nextPlanId === null) return undefined;
  return data?.plans.find(({ planId }) => planId === nextPlanId)?.name ?? nextPlanId;
}
