import { LinkButton } from '#ui/link-button.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';

/**
 * The screen of an unknown address.
 * @param text the reason, if it is known
 */
export function NotFoundScreen({ text = "This page doesn't exist." }: { text?: string }) {
  return (
    <>
      <ScreenTitle title="Page not found" />
      <ScreenHeading title="Page not found" subtitle={text} />
      <div className="flex flex-wrap gap-2">
        <LinkButton to="/marketplace" variant="primary">
          Browse Servers
        </LinkButton>
        <LinkButton to="/">Back to Home</LinkButton>
      </div>
    </>
  );
}
