import { useCallback, useSyncExternalStore } from 'react';

/**
 * Returns whether a media query matches, and follows changes of the window. For choices that CSS cannot make, such as a
 * table or cards.
 */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
