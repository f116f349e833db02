import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountKey } from '#web/loading/account-key.ts';

/** In localStorage for a second: tells other tabs that what the user owns has changed. */
export const subscriptionUpdatedKey = 'souk.subscription-updated';
/** Spec part 2, section 9. */
const shownForMs = 1_000;

/** Refetches the user's data in all tabs of this browser. Resolves when this one has. */
export function announceSubscriptionUpdate(queries: QueryClient, userId: string): Promise<void> {
  window.localStorage.setItem(subscriptionUpdatedKey, String(Date.now()));
  window.setTimeout(() => window.localStorage.removeItem(subscriptionUpdatedKey), shownForMs);
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
    const hear = ({ key, newValue }: StorageEvent) => {
      if (key !== subscriptionUpdatedKey || newValue === null) return;
      void queries.invalidateQueries({ queryKey: accountKey(userId) });
    };
    window.addEventListener('storage', hear);
    return () => window.removeEventListener('storage', hear);
  }, [queries, userId]);
}
