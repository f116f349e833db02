import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { accountKey } from '#web/loading/account-key.ts';
import { PopupBlockedError, type SignInPopup } from '#web/navigation/popup-window.ts';
import { continueInTab } from './sign-in/continue-in-tab.ts';
import { enableWithSignIn, signInFailure, type EnableOutcome } from './enable-with-sign-in.ts';
import { otherWindowText } from './sign-in/other-window-hint.tsx';
import { openServerSignIn, signInAtServer } from './sign-in/server-sign-in-window.ts';
import { profileMigrationText, toggleFailure } from './toggle-texts.ts';
import { upstreamConnectionsQuery, upstreamsApi } from './upstreams-api.ts';
import { useAwaitedSignIn } from './sign-in/use-awaited-sign-in.ts';

export type ServerToggleOptions = {
  userId: string;
  serverId: string;
  enabled: boolean;
  /** The user has no account at the server yet, so switching on leads through its sign-in. */
  needsSignIn: boolean;
};

type Change = { on: boolean; popup: SignInPopup | undefined };

/** Switches a server on or off for the user. Switching on may lead through a sign-in. A failure undoes it. */
export function useServerToggle({ userId, serverId, enabled, needsSignIn }: ServerToggleOptions) {
  const queries = useQueryClient();
  const [end, setEnd] = useState<EnableOutcome>({});
  const since = () =>
    queries
      .getQueryData(upstreamConnectionsQuery(userId).queryKey)
      ?.connections.find((account) => account.serverId === serverId)?.since ?? null;
  const change = useMutation({
    mutationFn: ({ on, popup }: Change) =>
      on ? enable({ userId, serverId, enables: true, since: since() }, popup) : disable(serverId),
    onMutate: () => setEnd({}),
    onSuccess: setEnd,
    // cards and My Services show it too
    onSettled: () => queries.invalidateQueries({ queryKey: accountKey(userId) }),
  });
  const awaitedHint = useAwaitedSignIn({
    userId,
    serverId,
    enables: true,
    isRunning: change.isPending,
    onFailure: useCallback((message: string) => setEnd({ failure: signInFailure(message) }), []),
  });
  const { failure, continueAt } = end;
  return {
    isOn: change.isPending ? change.variables.on : enabled,
    isPending: change.isPending,
    /** Says where a sign-in continues, or how it ended after its window was cut off from this page. */
    hint: change.isPending && change.variables.popup ? otherWindowText : awaitedHint,
    press(on: boolean) {
      if (change.isPending) return;
      // in the click itself: strict browsers block a window that opens after an await
      change.mutate({ on, popup: on && needsSignIn ? openServerSignIn() : undefined });
    },
    failure,
    onContinue: continueAt ? () => continueInTab(continueAt, { userId, serverId, enables: true }) : undefined,
  };
}

type What = Parameters<typeof signInAtServer>[2];

async function enable(what: What, popup: SignInPopup | undefined): Promise<EnableOutcome> {
  try {
    return await enableWithSignIn({
      enable: () => upstreamsApi.enableServer({ params: { serverId: what.serverId } }),
      signIn: async (authUrl) => {
        const opened = popup ?? openServerSignIn();
        if (!opened) throw new PopupBlockedError();
        return signInAtServer(opened, authUrl, what);
      },
      // oxlint-disable-next-line no-console -- a timeout is only logged (spec part 2, section 4)
      log: (message) => console.warn(message),
    });
  } finally {
    popup?.close();
  }
}

async function disable(serverId: string): Promise<EnableOutcome> {
  const otherwise = 'Failed to disable server';
  try {
    const { success, message } = await upstreamsApi.disableServer({ params: { serverId } });
    return success ? {} : { failure: profileMigrationText(message || otherwise) };
  } catch (error) {
    return { failure: toggleFailure(error, otherwise) };
  }
}
