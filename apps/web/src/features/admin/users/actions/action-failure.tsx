import { SignInAgainNotice, needsSignInAgain } from '../../sign-in-again.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import type { UserFailure } from '../user-failures.ts';
import { useUserWork } from '../user-work.ts';

export type ActionFailureProps = UserFailure & {
  /** Repeats the action after a new sign-in. */
  again: () => void;
};

/** Says why an action of a dialog failed, or asks for a new sign-in. Renders nothing without an error. */
export function ActionFailure({ work, error, again }: ActionFailureProps) {
  const { signInAgain } = useUserWork();
  if (!error) return null;
  if (needsSignInAgain(error)) return <SignInAgainNotice signInAgain={signInAgain} onSignedIn={again} />;
  return <FailureNotice work={work} error={error} />;
}
