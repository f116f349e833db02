import { useEffect, useState } from 'react';
import { ErrorState } from '#ui/state/error-state.tsx';
import { failureText } from '../texts/failure-text.ts';

/** Starts the sign-in immediately, on a screen that needs a user. */
export function SignInFirst({ onSignIn }: { onSignIn: () => Promise<void> }) {
  const [failure, setFailure] = useState<string>();
  const [leaving, setLeaving] = useState(false);
  const leave = () => {
    setFailure(undefined);
    setLeaving(true);
    onSignIn().catch((error: unknown) => {
      setLeaving(false);
      setFailure(failureText(error));
    });
  };
  // once, on arrival: the user followed a link to this page
  useEffect(leave, []); // oxlint-disable-line react-hooks/exhaustive-deps -- not again when a prop is a new function
  if (failure === undefined) {
    return (
      <p role="status" className="py-16 text-center text-quiet">
        Redirecting…
      </p>
    );
  }
  return (
    <ErrorState
      title="Authentication required. Please log in."
      text={failure}
      onRetry={leave}
      retrying={leaving}
      retryLabel="Sign In"
    />
  );
}
