import Wrench from 'lucide-react/icons/wrench';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';

/** /auth-shim: an address of earlier releases (spec part 1, section 2). */
export function AuthShimScreen() {
  return (
    <div className="mx-auto max-w-lg">
      <ScreenTitle title="Maintenance" />
      <h1 className="sr-only">Maintenance</h1>
      <EmptyState
        icon={<Wrench aria-hidden />}
        title="This page is under maintenance during OAuth 2.1 migration."
        actions={
          <LinkButton to="/" variant="primary">
            Return to Home
          </LinkButton>
        }
      />
    </div>
  );
}
