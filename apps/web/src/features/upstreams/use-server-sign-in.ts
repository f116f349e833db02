import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failureText } from '#web/failure-text.ts';
import { PopupBlockedError, type SignInPopup } from '#web/popup-window.ts';
import { continueInTab } from './continue-in-tab.ts';
import { openServerSignIn, signInAtServer } from './sign-in-window.ts';
import { upstreamKey, upstreamsApi } from './upstreams-api.ts';

export type ServerSignIn = {
  /** Call it in the click itself: it opens the window. */
  start: () => void;
  isPending: boolean;
  /** The person is at the server's sign-in, in the other window. */
  isWindowOpen: boolean;
  /** The text to show. */
  problem: string | undefined;
  /** Set where the window was blocked: goes to the sign-in in this tab. */
  onContinue: (() => void) | undefined;
};

/** The sign-in of one person at one server, in a window beside the page. */
export function useServerSignIn(
  userId: string,
  { serverId, serverName }: Pick<UpstreamAccount, 'serverId' | 'serverName'>,
  onSaid: (text: string) => void,
): ServerSignIn {
  const queries = useQueryClient();
  const signIn = useMutation({
    mutationFn: (popup: SignInPopup | undefined) => run(userId, serverId, popup),
    onSuccess: ({ worked }) => onSaid(worked ? `You are signed in to ${serverName}.` : ''),
    onSettled: () => queries.invalidateQueries({ queryKey: upstreamKey(userId) }),
  });
  const blockedAt = signIn.data?.blockedAt;
  return {
    start: () => signIn.mutate(openServerSignIn()),
    isPending: signIn.isPending,
    isWindowOpen: signIn.isPending && signIn.variables !== undefined,
    problem: blockedAt ? new PopupBlockedError().message : signIn.isError ? failureText(signIn.error) : undefined,
    onContinue: blockedAt ? () => continueInTab(blockedAt, { userId, serverId, enables: false }) : undefined,
  };
}

async function run(
  userId: string,
  serverId: string,
  popup: SignInPopup | undefined,
): Promise<{ worked: boolean; blockedAt?: string }> {
  try {
    const { authUrl } = await upstreamsApi.startUpstreamSignIn({ params: { userId, serverId } });
    return popup ? { worked: await signInAtServer(popup, authUrl) } : { worked: false, blockedAt: authUrl };
  } finally {
    popup?.close();
  }
}
