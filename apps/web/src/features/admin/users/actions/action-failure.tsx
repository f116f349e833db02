import { SignInAgainNotice, wantsSignInAgain } from '../../sign-in-again.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import type { UserFailure } from '../user-failures.ts';
import { useUserWork } from '../user-work.ts';

export type ActionFailureProps = UserFailure & {
  /** Sends it once more, after a new sign-in. */
  again: () => void;
};

/** Says in a dialog what failed, or that the last sign-in is too long ago, with the way to a new one. Draws nothing without an error. */
export function ActionFailure({ work, error, again }: ActionFailureProps) {
  const { signInAgain } = useUserWork();
  if (!error) return null;
  if (wantsSignInAgain(error)) return <SignInAgainNotice signInAgain={signInAgain} onSignedIn={again} />;
  return <FailureNotice work={work} error={error} />;
}
