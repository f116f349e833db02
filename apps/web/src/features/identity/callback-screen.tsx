import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { Spinner } from '#ui/spinner.tsx';
import { useSession } from './session-provider.tsx';

/** /auth/callback: finishes the sign-in that the broker sent back, and goes on to where it began. */
export function CallbackScreen() {
  const { session } = useSession();
  const router = useRouter();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    // the address as it came: the router would read a code of digits as a number
    session.completeSignIn(new URLSearchParams(window.location.search)).then(
      (path) => router.history.replace(path),
      (error: unknown) => setFailure(error instanceof Error ? error.message : 'An unexpected error occurred'),
    );
  }, [session, router]);
  if (failure === undefined) {
    return (
      <DelayedFallback label="Signing you in…">
        <ScreenTitle title="Signing in" />
        <h1 className="sr-only">Sign-in</h1>
        <p aria-hidden className="flex items-center justify-center gap-2 py-16 text-quiet">
          <Spinner />
          Signing you in…
        </p>
      </DelayedFallback>
    );
  }
  return (
    <div className="mx-auto max-w-lg">
      <ScreenTitle title="Authentication Failed" />
      <h1 className="sr-only">Sign-in</h1>
      <ErrorState
        title="Authentication Failed"
        text={failure}
        actions={
          <LinkButton to="/" variant="primary">
            Return to Home
          </LinkButton>
        }
      />
    </div>
  );
}
