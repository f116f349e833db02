import { ApiError } from '@souk/contract/client.ts';
import { errorCatalogue } from '@souk/contract/errors.ts';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { lostWindowText, PopupBlockedError } from '#web/navigation/popup-window.ts';

/**
 * Signs the person who works here in once more, in a window of its own; with 'tab' the whole page, which comes back.
 * Call it in the click itself.
 * @param onLate it worked after this had answered false
 * @returns false when the window was closed without a sign-in of the same person
 * @throws PopupBlockedError where the browser opened no window
 */
export type SignInAgain = (way: 'window' | 'tab', onLate: () => void) => Promise<boolean>;

/** Whether an action was refused because the last sign-in is too long ago. */
export function wantsSignInAgain(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'sign_in_again';
}

/** What a dialog says after a failure: what went wrong, or that a new sign-in is needed. */
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
  if (wantsSignInAgain(error)) return <SignInAgainNotice signInAgain={signInAgain} onSignedIn={again} />;
  return <Notice tone="bad">{failureText(error)}</Notice>;
}

/**
 * What a dialog shows after such a refusal, in the place of its error: the text and the button. The dialog and what was
 * typed in it stay as they are.
 * @param onSignedIn the action can be repeated. Not called once the dialog is closed
 */
export function SignInAgainNotice({ signInAgain, onSignedIn }: { signInAgain: SignInAgain; onSignedIn: () => void }) {
  const [waiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  // the dialog may be changed or closed while the window is open: its last state counts, and a closed one has none
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
