import { useEffect, useState } from 'react';
import { ErrorState } from '#ui/state/error-state.tsx';
import { failureText } from '../texts/failure-text.ts';

/** On a screen of a person's own that a link named: who is not signed in is asked to, at once. */
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
  // once, and at once: a person who followed a link to this page wants to sign in
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
