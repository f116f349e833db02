import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { accountKey } from '#web/loading/account-key.ts';
import { findAwaited, forgetAwaited, onAwaitedChange, type AwaitedSignIn } from './awaited-sign-ins.ts';
import { onSignInEnd } from './sign-in-end.ts';
import { upstreamConnectionsQuery } from '../upstreams-api.ts';

const pollEveryMs = 3_000;

export type AwaitedOptions = Pick<AwaitedSignIn, 'userId' | 'serverId' | 'enables'> & {
  /** The action that opened the window is still waiting for it. */
  isRunning: boolean;
  onFailure: (message: string) => void;
};

/**
 * Follows a sign-in at a server whose window was cut off from this page, by a provider's page or because this page was
 * reloaded. The callback page reports its end, or the user's account at the broker shows it.
 * @returns the text to show
 */
export function useAwaitedSignIn({ isRunning, onFailure, ...wanted }: AwaitedOptions): string | undefined {
  const queries = useQueryClient();
  const { userId, serverId } = wanted;
  const find = () => findAwaited(wanted);
  const known = useSyncExternalStore(onAwaitedChange, find, find);
  const awaited = isRunning ? undefined : known;
  const [said, setSaid] = useState<string>();
  if (isRunning && said !== undefined) setSaid(undefined);

  const finish = useCallback(
    (state: string) => {
      forgetAwaited(state);
      // the broker has switched the server on, if requested
      return queries.invalidateQueries({ queryKey: accountKey(userId) });
    },
    [queries, userId],
  );
  const accounts = useQuery({
    ...upstreamConnectionsQuery(userId),
    enabled: awaited !== undefined,
    refetchInterval: pollEveryMs,
  });
  const account = accounts.data?.connections.find((one) => one.serverId === serverId);
  const isSignedIn =
    awaited !== undefined &&
    account?.state === 'signed-in' &&
    account.since !== awaited.since &&
    (account.enabled || !awaited.enables);
  const name = account?.serverName ?? serverId;
  useEffect(() => {
    if (!awaited) return undefined;
    const { state, untilMs } = awaited;
    const worked = () => {
      setSaid(`You are signed in to ${name}.`);
      void finish(state);
    };
    if (isSignedIn) return worked();
    const tooLate = setTimeout(() => forgetAwaited(state), untilMs - Date.now());
    const stopListening = onSignInEnd((end) => {
      if (end.state !== state) return; // for another tab
      if (end.ok) return worked();
      void finish(state);
      onFailure(end.message);
    });
    return () => {
      clearTimeout(tooLate);
      stopListening();
    };
  }, [awaited, isSignedIn, name, finish, onFailure]);
  if (!awaited) return said;
  return "We can't see the sign-in window. If it's still open, finish there and this page updates.";
}
