import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { myServicesQuery, priceRisesQuery, subscriptionQuery } from '../queries.ts';
import { useSubscriptionUpdates } from '../subscription-updated.ts';

/**
 * Reads what the person has again when the window gets the focus, and when another tab tells of a change (spec part 2,
 * section 4). Histories are not read again: they have a Refresh button.
 */
export function useDashboardRefresh(userId: string): void {
  useSubscriptionUpdates(userId);
  const queries = useQueryClient();
  useEffect(() => {
    const refresh = () => {
      for (const { queryKey } of [subscriptionQuery(userId), myServicesQuery(userId), priceRisesQuery(userId)])
        // what is being read already is not asked for twice
        void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
    };
    window.addEventListener('focus', refresh);
    return () => window.removeEventListener('focus', refresh);
  }, [queries, userId]);
}
