import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSubscriptionUpdates } from '#features/billing/subscription-updated.ts';
import { accountKey } from './account-key.ts';

/** Ends of the query keys for what the user owns. Importing the queries would add their schemas to the first load. */
const owned = [
  ['billing', 'subscription'],
  ['billing', 'services'],
  ['billing', 'options'],
  ['billing', 'price-rises'],
  ['upstream-connections', 'access'],
];

/**
 * Refetches what the user owns when the window gets the focus or another tab reports a change, on every screen (spec
 * part 2, section 4). Histories have a Refresh button instead.
 * @param userId undefined: a visitor
 */
export function useOwnRefresh(userId: string | undefined): void {
  useSubscriptionUpdates(userId);
  const queries = useQueryClient();
  useEffect(() => {
    if (userId === undefined) return undefined;
    const refresh = () => {
      for (const end of owned)
        // a running fetch is not started again
        void queries.invalidateQueries({ queryKey: [...accountKey(userId), ...end] }, { cancelRefetch: false });
    };
    window.addEventListener('focus', refresh);
    return () => window.removeEventListener('focus', refresh);
  }, [queries, userId]);
}
