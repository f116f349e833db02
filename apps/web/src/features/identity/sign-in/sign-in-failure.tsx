import { ErrorState } from '#ui/state/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';

/** A failed sign-in: the specification's title, the reason, and two ways to continue (spec part 2, section 8). */
export function SignInFailure({ title, reason }: { title: string; reason: string }) {
  return (
    <div className="mx-auto max-w-lg">
      <ScreenTitle title={title} />
      <h1 className="sr-only">Sign-in</h1>
      <ErrorState
        title={title}
        text={reason}
        actions={
          <>
            <LinkButton to="/sign-in">Sign in again</LinkButton>
            <LinkButton to="/" variant="primary">
              Return to Home
            </LinkButton>
          </>
        }
      />
    </div>
  );
}
