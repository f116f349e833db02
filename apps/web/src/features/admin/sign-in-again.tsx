import { ApiError } from '@souk/contract/client.ts';
import { errorCatalogue } from '@souk/contract/errors.ts';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { lostWindowText, PopupBlockedError } from '#web/navigation/popup-window.ts';

/**
 * Signs the administrator in again, in a popup window; 'tab' leaves this page for it and comes back. Call it directly in the
 * click handler.
 * @param onLate called if the sign-in succeeds after this returned false
 * @returns false if the window was closed without a sign-in of the same user
 * @throws PopupBlockedError if the browser blocked the window
 */
export type SignInAgain = (way: 'window' | 'tab', onLate: () => void) => Promise<boolean>;

/** Whether an action was refused because the last sign-in is too long ago. */
export function needsSignInAgain(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'sign_in_again';
}

/** Says why an action of a dialog failed, or asks for a new sign-in. */
export function FailureOrSignIn({
  error,
  signInAgain,
  again,
}: {
  error: unknown;
  signInAgain: SignInAgain;
  /** Repeats the action after a new sign-in. */
  again: () => void;
}) {
  if (!error) return null;
  if (needsSignInAgain(error)) return <SignInAgainNotice signInAgain={signInAgain} onSignedIn={again} />;
  return <Notice tone="bad">{failureText(error)}</Notice>;
}

/**
 * Asks for a new sign-in after such a refusal, in place of the error. The dialog keeps what was typed in it.
 * @param onSignedIn repeats the action; not called once the dialog is closed
 */
export function SignInAgainNotice({ signInAgain, onSignedIn }: { signInAgain: SignInAgain; onSignedIn: () => void }) {
  const [waiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  // the dialog may change or close while the window is open: its latest callback counts, and a closed dialog has none
  const repeat = useRef<() => void>(undefined);
  useEffect(() => {
    repeat.current = onSignedIn;
    return () => (repeat.current = undefined);
  }, [onSignedIn]);
  const start = (way: 'window' | 'tab') => {
    setWaiting(true);
    setProblem(undefined);
    signInAgain(way, () => repeat.current?.())
      .then((done) => (done ? repeat.current?.() : setProblem(lostWindowText)), setProblem)
      .finally(() => setWaiting(false));
  };
  const isBlocked = problem instanceof PopupBlockedError;
  return (
    <Notice
      tone="bad"
      action={
        <Button size="small" className="-my-1" loading={waiting} onClick={() => start(isBlocked ? 'tab' : 'window')}>
          {isBlocked ? 'Continue in this tab' : 'Sign in again'}
        </Button>
      }
    >
      {problem === undefined && errorCatalogue.sign_in_again.message}
      {problem !== undefined && (typeof problem === 'string' ? problem : failureText(problem))}
    </Notice>
  );
}
