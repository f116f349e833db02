import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Spinner } from '#ui/state/spinner.tsx';

export function SigningIn() {
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
