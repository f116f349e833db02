import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { failureText } from '#web/texts/failure-text.ts';
import { PopupBlockedError, type SignInPopup } from '#web/navigation/popup-window.ts';
import { continueInTab } from './continue-in-tab.ts';
import { otherWindowText } from './other-window-hint.tsx';
import { openServerSignIn, signInAtServer } from './server-sign-in-window.ts';
import { upstreamKey, upstreamsApi } from '../upstreams-api.ts';
import { useAwaitedSignIn } from './use-awaited-sign-in.ts';

export type ServerSignIn = {
  /** Opens the window. Call it in the click itself. */
  start: () => void;
  isPending: boolean;
  /** Says where the sign-in continues, or how it ended after its window was cut off from this page. */
  hint: string | undefined;
  problem: string | undefined;
  /** Set if the window was blocked: goes to the sign-in in this tab. */
  onContinue: (() => void) | undefined;
};

/** Signs the user in at a server, in a popup window. */
export function useServerSignIn(
  userId: string,
  { serverId, serverName, since }: Pick<UpstreamAccount, 'serverId' | 'serverName' | 'since'>,
  onSaid: (text: string) => void,
): ServerSignIn {
  const queries = useQueryClient();
  const [lateFailure, setLateFailure] = useState<string>();
  const signIn = useMutation({
    mutationFn: (popup: SignInPopup | undefined) => run({ userId, serverId, enables: false, since }, popup),
    onMutate: () => setLateFailure(undefined),
    onSuccess: ({ worked }) => onSaid(worked ? `You are signed in to ${serverName}.` : ''),
    onSettled: () => queries.invalidateQueries({ queryKey: upstreamKey(userId) }),
  });
  const awaitedHint = useAwaitedSignIn({
    userId,
    serverId,
    enables: false,
    isRunning: signIn.isPending,
    onFailure: setLateFailure,
  });
  const blockedAt = signIn.data?.blockedAt;
  const failure = signIn.isError ? failureText(signIn.error) : lateFailure;
  return {
    start: () => signIn.mutate(openServerSignIn()),
    isPending: signIn.isPending,
    hint: signIn.isPending && signIn.variables ? otherWindowText : awaitedHint,
    problem: blockedAt ? new PopupBlockedError().message : failure,
    onContinue: blockedAt ? () => continueInTab(blockedAt, { userId, serverId, enables: false }) : undefined,
  };
}

async function run(
  what: Parameters<typeof signInAtServer>[2],
  popup: SignInPopup | undefined,
): Promise<{ worked: boolean; blockedAt?: string }> {
  try {
    const { userId, serverId } = what;
    const { authUrl } = await upstreamsApi.startUpstreamSignIn({ params: { userId, serverId } });
    return popup ? { worked: await signInAtServer(popup, authUrl, what) } : { worked: false, blockedAt: authUrl };
  } finally {
    popup?.close();
  }
}
