import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountKey } from '#web/account-key.ts';
import { PopupBlockedError, type SignInPopup } from '#web/popup-window.ts';
import { continueInTab } from './continue-in-tab.ts';
import { enableWithSignIn, type EnableEnd } from './enable-with-sign-in.ts';
import { openServerSignIn, signInAtServer } from './sign-in-window.ts';
import { profileMigrationText, toggleFailure } from './toggle-texts.ts';
import { upstreamsApi } from './upstreams-api.ts';

export type ServerToggleOptions = {
  userId: string;
  serverId: string;
  enabled: boolean;
  /** The person has no account at the server yet, so switching on leads through its sign-in. */
  needsSignIn: boolean;
};

type Change = { on: boolean; popup: SignInPopup | undefined };

/** Switches a server on or off for a person; switching on may lead through a sign-in. A failure puts it back. */
export function useServerToggle({ userId, serverId, enabled, needsSignIn }: ServerToggleOptions) {
  const queries = useQueryClient();
  const [end, setEnd] = useState<EnableEnd>({});
  const change = useMutation({
    mutationFn: ({ on, popup }: Change) => (on ? enable(serverId, popup) : disable(serverId)),
    onMutate: () => setEnd({}),
    onSuccess: setEnd,
    // also what the shop's cards and My Services show of it
    onSettled: () => queries.invalidateQueries({ queryKey: accountKey(userId) }),
  });
  const { failure, continueAt } = end;
  return {
    /** What is asked for, or else what is. */
    isOn: change.isPending ? change.variables.on : enabled,
    isPending: change.isPending,
    /** A sign-in goes on in another window. */
    isWindowOpen: change.isPending && change.variables.popup !== undefined,
    press(on: boolean) {
      if (change.isPending) return;
      // in the click itself: once the enable has been awaited, strict browsers block a window
      change.mutate({ on, popup: on && needsSignIn ? openServerSignIn() : undefined });
    },
    /** The text to show. */
    failure,
    onContinue: continueAt ? () => continueInTab(continueAt, { userId, serverId, enables: true }) : undefined,
  };
}

async function enable(serverId: string, popup: SignInPopup | undefined): Promise<EnableEnd> {
  try {
    return await enableWithSignIn({
      enable: () => upstreamsApi.enableServer({ params: { serverId } }),
      signIn: async (authUrl) => {
        const opened = popup ?? openServerSignIn();
        if (!opened) throw new PopupBlockedError();
        return signInAtServer(opened, authUrl);
      },
      // oxlint-disable-next-line no-console -- a timeout is only logged (spec part 2, section 4)
      log: (message) => console.warn(message),
    });
  } finally {
    popup?.close();
  }
}

async function disable(serverId: string): Promise<EnableEnd> {
  const otherwise = 'Failed to disable server';
  try {
    const { success, message } = await upstreamsApi.disableServer({ params: { serverId } });
    return success ? {} : { failure: profileMigrationText(message || otherwise) };
  } catch (error) {
    return { failure: toggleFailure(error, otherwise) };
  }
}
