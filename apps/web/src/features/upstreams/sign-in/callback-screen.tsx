import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { closeSignInWindow, isSignInWindow } from '#web/navigation/sign-in-window.ts';
import { pathAfter, takeContinuation, type Continuation } from './continue-in-tab.ts';
import { enableAfterSignIn } from '../enable-with-sign-in.ts';
import { announceSignInEnd } from './sign-in-end.ts';
import { upstreamsApi } from '../upstreams-api.ts';

export type CallbackScreenProps = {
  userId: string | undefined;
  isRestoring: boolean;
  /** Called when the sign-in has worked in this tab rather than in a popup. */
  onDone: (path: string) => void;
};

type Problem = { title: string; text?: string };

/**
 * /connect/callback: passes on an authorization server's answer, notifies the waiting page, and closes the popup. If
 * the sign-in ran in this tab, completes what the tab was about to do and goes back. The answer is used once, and
 * removed from the address first.
 */
export function CallbackScreen({ userId, isRestoring, onDone }: CallbackScreenProps) {
  const [problem, setProblem] = useState<Problem>();
  const [done, setDone] = useState<string>();
  // the query on arrival, before it is removed
  const [answer] = useState(() => new URLSearchParams(window.location.search));
  const state = answer.get('state') ?? '';
  const [continuation, setContinuation] = useState<Continuation>();
  const sent = useRef(false);
  useEffect(() => {
    if (isRestoring || sent.current) return;
    sent.current = true;
    window.history.replaceState(window.history.state, '', window.location.pathname);
    const taken = takeContinuation(state);
    setContinuation(taken);
    finishSignIn(answer, userId).then(
      async ({ serverId, message }) => {
        announceSignInEnd({ state, ok: true, message });
        if (closeSignInWindow(state)) return setDone(message);
        const { failure } = taken?.enables && taken.userId === userId ? await enableNow(serverId) : {};
        if (failure === undefined) onDone(pathAfter(taken ?? { screen: 'connect', serverId }));
        else setProblem({ title: failure });
      },
      (error: unknown) => {
        const text = failureText(error);
        announceSignInEnd({ state, ok: false, message: text });
        // the broker's text says that the user denied access, and needs no title
        setProblem(answer.get('error') === 'access_denied' ? { title: text } : { title: 'Sign-in failed', text });
      },
    );
  }, [answer, state, userId, isRestoring, onDone]);
  return (
    <div className="mx-auto max-w-lg">
      <ScreenTitle title="Connecting" />
      <h1 className="sr-only">Connecting a service</h1>
      {problem ? (
        <ErrorState
          {...problem}
          actions={
            isSignInWindow(state) ? (
              <Button onClick={() => closeSignInWindow(state)}>Close window</Button>
            ) : (
              <AnchorButton href={continuation ? pathAfter(continuation) : '/dashboard'}>
                {continuation ? 'Go back' : 'Go to the dashboard'}
              </AnchorButton>
            )
          }
        />
      ) : (
        <p role="status" className="py-16 text-center text-quiet">
          {done === undefined ? 'Finishing the sign-in…' : `${done}. You can close this window.`}
        </p>
      )}
    </div>
  );
}

const enableNow = (serverId: string) => enableAfterSignIn(() => upstreamsApi.enableServer({ params: { serverId } }));

async function finishSignIn(answer: URLSearchParams, userId: string | undefined) {
  if (userId === undefined) throw new Error('Authentication required. Please log in.');
  const given = (name: string) => {
    const value = answer.get(name);
    return value === null ? {} : { [name]: value };
  };
  const state = answer.get('state');
  if (!state || (!answer.get('code') && !answer.get('error'))) throw new Error('Missing required OAuth parameters');
  return upstreamsApi.finishUpstreamSignIn({
    body: { state, ...given('code'), ...given('iss'), ...given('error'), ...given('server') },
  });
}
