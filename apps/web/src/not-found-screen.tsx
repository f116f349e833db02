import { LinkButton } from '#ui/link-button.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';

/** For an address without a screen. */
export function NotFoundScreen() {
  return (
    <>
      <ScreenTitle title="Page not found" />
      <ScreenHeading title="Page not found" subtitle="This page doesn't exist." />
      <div className="flex flex-wrap gap-2">
        <LinkButton to="/">Back to Home</LinkButton>
        <LinkButton to="/marketplace">Browse Servers</LinkButton>
      </div>
    </>
  );
}
