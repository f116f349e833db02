import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { accountKey } from '#web/loading/account-key.ts';
import { fetchSource, tokenSource } from '#web/api.ts';
import { createBrowserSession } from './browser-session.ts';
import type { SessionState } from './session-state.ts';
import type { Session } from './session.ts';

const SessionContext = createContext<Session | undefined>(undefined);

/** The session of this page. It starts when the code loads, so that the first render knows who is signed in. */
const session = createBrowserSession();
tokenSource.current = () => session.token();
fetchSource.current = (url, init) => session.fetch(url, init);

/** Provides the session, and drops a user's data when another one signs in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  useEffect(() => {
    let userId = session.getState().user?.id;
    let wasAway = false;
    return session.subscribe((user) => {
      const { isAway = false } = session.getState();
      // refetches the calls that failed meanwhile
      if (wasAway && !isAway) void queries.refetchQueries({ type: 'active', predicate: ({ state }) => !!state.error });
      wasAway = isAway;
      if (userId !== undefined && user?.id !== userId) queries.removeQueries({ queryKey: accountKey(userId) });
      userId = user?.id;
    });
  }, [queries]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Returns who is signed in, and the session's actions. `isRestoring`: it is not known yet who is. */
export function useSession(): SessionState & { session: Session } {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession needs a SessionProvider above it');
  const state = useSyncExternalStore(session.subscribe, session.getState);
  return { ...state, session };
}
