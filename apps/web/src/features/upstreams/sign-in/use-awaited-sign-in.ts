import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { accountKey } from '#web/loading/account-key.ts';
import { findAwaited, forgetAwaited, onAwaitedChange, type AwaitedSignIn } from './awaited-sign-ins.ts';
import { onSignInEnd } from './sign-in-end.ts';
import { upstreamConnectionsQuery } from '../upstreams-api.ts';

const askEveryMs = 3_000;

export type AwaitedOptions = Pick<AwaitedSignIn, 'userId' | 'serverId' | 'enables'> & {
  /** The action that opened the window waits for it itself. */
  isRunning: boolean;
  /** A sign-in that failed after all, and why. */
  onFailure: (message: string) => void;
};

/**
 * What follows a sign-in at a server whose window this page has lost sight of: a provider's page cut it off, or this page was
 * loaded again. Its end is told by the callback page, or seen in what the broker says of the account.
 * @returns what to say of it meanwhile and afterwards
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
      // the broker has switched the server on, if that was asked for
      return queries.invalidateQueries({ queryKey: accountKey(userId) });
    },
    [queries, userId],
  );
  const accounts = useQuery({
    ...upstreamConnectionsQuery(userId),
    enabled: awaited !== undefined,
    refetchInterval: askEveryMs,
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
      if (end.state !== state) return; // another tab's
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
