import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '#ui/error-state.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';

/** The fallback when a screen fails in a way that it did not foresee (spec part 1, section 8). */
export function ErrorScreen({ reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <>
      <ScreenTitle title="Error" />
      <ErrorState title="Unexpected Application Error!" text="Something went wrong on this page." onRetry={retry} />
    </>
  );
}
