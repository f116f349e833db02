import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSubscriptionUpdates } from '#features/billing/subscription-updated.ts';
import { accountKey } from './account-key.ts';

/** The ends of the keys of what a person owns. The queries themselves would bring their schemas to every first screen. */
const owned = [
  ['billing', 'subscription'],
  ['billing', 'services'],
  ['billing', 'options'],
  ['billing', 'price-rises'],
  ['upstream-connections', 'access'],
];

/**
 * On every screen: reads what the person has again when the window gets the focus, and when another tab tells of a change (spec
 * part 2, section 4). Histories are not read again: they have a Refresh button.
 * @param userId undefined: a visitor
 */
export function useOwnRefresh(userId: string | undefined): void {
  useSubscriptionUpdates(userId);
  const queries = useQueryClient();
  useEffect(() => {
    if (userId === undefined) return undefined;
    const refresh = () => {
      for (const end of owned)
        // what is being read already is not asked for twice
        void queries.invalidateQueries({ queryKey: [...accountKey(userId), ...end] }, { cancelRefetch: false });
    };
    window.addEventListener('focus', refresh);
    return () => window.removeEventListener('focus', refresh);
  }, [queries, userId]);
}
