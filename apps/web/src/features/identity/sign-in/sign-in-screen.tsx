import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { config } from '#web/config.ts';
import { lostWindowText, PopupBlockedError } from '#web/navigation/popup-window.ts';
import { failureText } from '#web/texts/failure-text.ts';
import {
  closeSignInWindow,
  leaveSignIn,
  nextSignIn,
  onSignedIn,
  announceSignIn,
} from '#web/navigation/sign-in-window.ts';
import { signInByPopup } from './popup-sign-in.ts';
import { chooseReturnPath } from './return-path.ts';
import { useSession } from '../session/session-provider.tsx';
import { SigningIn } from './signing-in.tsx';

export type SignInScreenProps = {
  /** The path after the sign-in, which then starts immediately. Undefined: the user chooses how to sign in. */
  returnTo: string | undefined;
};

/** /sign-in: starts a sign-in with its own state and proof, and continues to the broker's login page. */
export function SignInScreen({ returnTo }: SignInScreenProps) {
  const { session, user, isRestoring } = useSession();
  const router = useRouter();
  const [failure, setFailure] = useState<string>();
  const path = chooseReturnPath(returnTo ?? null, window.location.origin);
  const isSignedIn = user !== undefined;
  const isAutomatic = returnTo !== undefined;
  useEffect(() => {
    if (isRestoring) return;
    if (isSignedIn) {
      announceSignIn(nextSignIn);
      closeSignInWindow(nextSignIn);
      leaveSignIn(path, router.history.replace);
    } else if (isAutomatic) {
      session.startSignIn(path).catch((error: unknown) => setFailure(failureText(error)));
    }
  }, [session, router, isRestoring, isSignedIn, isAutomatic, path]);
  // for a page that was reloaded, or whose wait for the window has ended
  useEffect(() => onSignedIn(() => session.noticeStorage(null)), [session]);
  if (isRestoring || isSignedIn || (isAutomatic && failure === undefined)) return <SigningIn />;
  return <Choice path={path} failure={failure} />;
}

function Choice({ path, failure }: { path: string; failure: string | undefined }) {
  const { session } = useSession();
  const [waiting, setWaiting] = useState<'page' | 'popup'>();
  const [problem, setProblem] = useState<unknown>(failure);
  const start = (way: 'page' | 'popup', work: () => Promise<unknown>) => {
    if (waiting) return;
    setWaiting(way);
    setProblem(undefined);
    work()
      .then(
        // signed in: SignInScreen above redirects
        (user) => user ?? setProblem(lostWindowText),
        setProblem,
      )
      .finally(() => setWaiting(undefined));
  };
  const continueHere = () => start('page', () => session.startSignIn(path));
  return (
    <Card as="section" padding="large" aria-labelledby="sign-in" className="mx-auto max-w-md">
      <ScreenTitle title="Sign in" />
      <h1 id="sign-in" className="text-lg/7 font-semibold tracking-tight">
        Sign in to {config.brandName}
      </h1>
      <p className="mt-2 text-quiet">You choose your account on the next page.</p>
      {problem !== undefined && (
        <div className="mt-4">
          <Notice
            tone="bad"
            action={
              problem instanceof PopupBlockedError && (
                <Button size="small" className="-my-1" onClick={continueHere}>
                  Continue in this tab
                </Button>
              )
            }
          >
            {typeof problem === 'string' ? problem : failureText(problem)}
          </Notice>
        </div>
      )}
      <div className="mt-5 flex flex-col gap-2">
        <Button variant="primary" wide loading={waiting === 'page'} onClick={continueHere}>
          Continue
        </Button>
        <Button wide loading={waiting === 'popup'} onClick={() => start('popup', () => signInByPopup(session))}>
          Use a popup window
        </Button>
      </div>
      <p role="status" className="mt-3 text-center text-[0.8125rem] text-quiet empty:hidden">
        {waiting === 'popup' && 'Waiting for the other window…'}
      </p>
    </Card>
  );
}
