import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { finishPopup, isPopup } from '#web/popup-window.ts';
import { connectionsApi } from './connections-api.ts';
import { tellSignInEnd } from './sign-in-window.ts';

export type CallbackScreenProps = {
  /** Undefined: nobody is signed in. */
  userId: string | undefined;
  isRestoring: boolean;
  /** It worked, and this page stands in no window of its own. */
  onDone: (serverId: string) => void;
};

/**
 * /connect/callback: passes on what an authorization server sent, tells the page that waits for it, and closes its
 * window or goes back to the server's screen. What came is used once, and stands in the address no longer than it must.
 */
export function CallbackScreen({ userId, isRestoring, onDone }: CallbackScreenProps) {
  const [failure, setFailure] = useState<string>();
  // the address as it came, before it is taken out of the address bar
  const [answer] = useState(() => new URLSearchParams(window.location.search));
  const sent = useRef(false);
  const state = answer.get('state') ?? '';
  useEffect(() => {
    if (isRestoring || sent.current) return;
    sent.current = true;
    window.history.replaceState(window.history.state, '', window.location.pathname);
    finish(answer, userId).then(
      ({ serverId, message }) => {
        const inPopup = isPopup();
        tellSignInEnd({ state, ok: true, message });
        finishPopup(true);
        if (!inPopup || !window.closed) onDone(serverId);
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : 'An unexpected error occurred';
        tellSignInEnd({ state, ok: false, message });
        setFailure(message);
      },
    );
  }, [answer, state, userId, isRestoring, onDone]);
  return (
    <div className="mx-auto max-w-lg">
      <ScreenTitle title="Connecting" />
      {failure === undefined ? (
        <>
          <h1 className="sr-only">Connecting</h1>
          <p role="status" className="py-16 text-center text-quiet">
            Finishing the sign-in…
          </p>
        </>
      ) : (
        <>
          <h1 className="sr-only">Sign-in failed</h1>
          <ErrorState
            title="The sign-in did not work"
            text={failure}
            actions={
              isPopup() ? (
                <Button onClick={() => finishPopup(false)}>Close window</Button>
              ) : (
                <LinkButton to="/marketplace">Go to the marketplace</LinkButton>
              )
            }
          />
        </>
      )}
    </div>
  );
}

async function finish(answer: URLSearchParams, userId: string | undefined) {
  if (userId === undefined) throw new Error('Authentication required. Please log in.');
  const given = (name: string) => {
    const value = answer.get(name);
    return value === null ? {} : { [name]: value };
  };
  const state = answer.get('state');
  if (!state || (!answer.get('code') && !answer.get('error'))) throw new Error('Missing required OAuth parameters');
  return connectionsApi.finishUpstreamSignIn({
    body: { state, ...given('code'), ...given('iss'), ...given('error') },
  });
}
