import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountKey } from '#web/loading/account-key.ts';

/** Key in localStorage. It is set for a second to notify other tabs that the user's purchases have changed. */
export const subscriptionUpdatedKey = 'souk.subscription-updated';
/** Spec part 2, section 9. */
const broadcastMs = 1_000;

/** Refetches the user's data in all tabs of this browser. Resolves when this tab has its data. */
export function announceSubscriptionUpdate(queries: QueryClient, userId: string): Promise<void> {
  window.localStorage.setItem(subscriptionUpdatedKey, String(Date.now()));
  window.setTimeout(() => window.localStorage.removeItem(subscriptionUpdatedKey), broadcastMs);
  return queries.invalidateQueries({ queryKey: accountKey(userId) });
}

/**
 * Refetches the user's data when another tab reports a change.
 * @param userId undefined: a visitor
 */
export function useSubscriptionUpdates(userId: string | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (userId === undefined) return undefined;
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key !== subscriptionUpdatedKey || newValue === null) return;
      void queries.invalidateQueries({ queryKey: accountKey(userId) });
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [queries, userId]);
}
