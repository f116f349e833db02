import { EmptyState } from '#ui/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';

/** An address that no screen has. */
export function NotFoundScreen() {
  return (
    <>
      <ScreenTitle title="Page not found" />
      <EmptyState
        title="Page not found"
        text="There is nothing at this address."
        actions={<LinkButton to="/">Back to Home</LinkButton>}
      />
    </>
  );
}
