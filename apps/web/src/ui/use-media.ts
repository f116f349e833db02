import { useCallback, useSyncExternalStore } from 'react';

/** Whether a media query holds, also after the window changes. For what CSS alone cannot choose: a table or cards. */
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
