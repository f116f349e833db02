import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { failureText } from '#web/texts/failure-text.ts';
import { closeSignInWindow, leaveSignIn, announceSignIn } from '#web/navigation/sign-in-window.ts';
import { useSession } from '../session/session-provider.tsx';
import { SignInFailure } from './sign-in-failure.tsx';
import { SigningIn } from './signing-in.tsx';

/** /auth/callback: finishes a sign-in and continues where it began. */
export function CallbackScreen() {
  const { session } = useSession();
  const router = useRouter();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    // the raw address, since the router would read a code of digits as a number
    const answer = new URLSearchParams(window.location.search);
    session.completeSignIn(answer).then(
      (path) => {
        const state = answer.get('state') ?? '';
        if (session.getState().user) announceSignIn(state);
        closeSignInWindow(state);
        leaveSignIn(path, router.history.replace);
      },
      (error: unknown) => setFailure(failureText(error)),
    );
  }, [session, router]);
  if (failure !== undefined) return <SignInFailure title="Authentication Failed" reason={failure} />;
  return <SigningIn />;
}
