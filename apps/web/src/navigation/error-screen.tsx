import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '#ui/state/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { reloadForMissingFile } from '../loading/missing-file.ts';

/** The fallback for a screen that fails unexpectedly (spec part 1, section 8). */
export function ErrorScreen({ reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = async () => {
    if (await reloadForMissingFile()) return;
    reset();
    await router.invalidate();
  };
  return (
    <>
      <ScreenTitle title="Error" />
      <h1 className="sr-only">Error</h1>
      <ErrorState
        title="Unexpected Application Error!"
        text="Something went wrong on this page. Try again, or go back to the home page."
        onRetry={() => void retry()}
        actions={<LinkButton to="/">Back to Home</LinkButton>}
      />
    </>
  );
}
