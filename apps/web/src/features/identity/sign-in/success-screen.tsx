import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { config } from '#web/config.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { closeSignInWindow, leaveSignIn, nextSignIn, announceSignIn } from '#web/navigation/sign-in-window.ts';
import { arrivedHandOff } from './hand-off-address.ts';
import type { HandOffQuestion } from './hand-off.ts';
import { useSession } from '../session/session-provider.tsx';
import { SignInFailure } from './sign-in-failure.tsx';
import { SigningIn } from './signing-in.tsx';

/** /auth/success: exchanges the broker's ticket, and asks first if the ticket was issued to another browser. */
export function SuccessScreen() {
  const { session } = useSession();
  const router = useRouter();
  const [question, setQuestion] = useState<HandOffQuestion>();
  const [failure, setFailure] = useState<string>();
  const finish = (path: string) => {
    announceSignIn(nextSignIn);
    closeSignInWindow(nextSignIn);
    leaveSignIn(path, router.history.replace);
  };
  useEffect(() => {
    session.openHandOff(arrivedHandOff ?? { token: null, user: null }).then(
      (answer) => (typeof answer === 'string' ? finish(answer) : setQuestion(answer)),
      (error: unknown) => setFailure(failureText(error)),
    );
    // the ticket works once, so the effect must not run again
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [session]);
  if (failure !== undefined) return <SignInFailure title="Authentication Error" reason={failure} />;
  if (question) {
    return (
      <Question
        question={question}
        onAccept={() => question.accept().then(finish, (error: unknown) => setFailure(failureText(error)))}
        onDecline={() => question.decline().then(() => router.history.replace('/'))}
      />
    );
  }
  return <SigningIn />;
}

type QuestionProps = {
  question: HandOffQuestion;
  onAccept: () => Promise<void>;
  onDecline: () => Promise<void>;
};

function Question({ question, onAccept, onDecline }: QuestionProps) {
  const [busy, setBusy] = useState<'accept' | 'decline'>();
  const { email, currentEmail } = question;
  const press = (which: 'accept' | 'decline', work: () => Promise<void>) => {
    if (busy) return;
    setBusy(which);
    void work();
  };
  return (
    <Card as="section" padding="large" aria-labelledby="question" className="mx-auto max-w-md">
      <ScreenTitle title="Continue?" />
      <h1 id="question" className="text-lg/7 font-semibold tracking-tight wrap-anywhere">
        Continue as {email}?
      </h1>
      <p className="mt-2 text-quiet">
        This sign-in didn't start in this browser. Continue only if the account is yours: it is used for everything you
        do next, and charged for it.
      </p>
      {currentEmail !== undefined && (
        <p className="mt-2 wrap-anywhere text-quiet">
          You're signed in to {config.brandName} as {currentEmail}. To continue, sign in again and choose the account
          there.
        </p>
      )}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button variant="primary" loading={busy === 'accept'} onClick={() => press('accept', onAccept)}>
          Continue as {email}
        </Button>
        <Button loading={busy === 'decline'} onClick={() => press('decline', onDecline)}>
          Not me
        </Button>
      </div>
    </Card>
  );
}
