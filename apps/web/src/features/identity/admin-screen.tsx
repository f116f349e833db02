import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { failureText } from '#web/failure-text.ts';
import { SignInButton } from './header-account.tsx';
import { profileQuery } from './queries.ts';
import { RedirectHome } from './redirect-home.tsx';
import { useSession } from './session-provider.tsx';

/**
 * /admin: shows its content to administrators, sends other people home, and asks visitors to sign in (spec part 2,
 * section 2). This decides what is drawn: what may be done is decided by the broker, at each call.
 */
export function AdminScreen({ content }: { content: (userId: string) => ReactNode }) {
  const { user, isRestoring } = useSession();
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: user !== undefined });
  const { refetch, isFetching } = profile;
  if (user && profile.data) {
    if (profile.data.role !== 'admin') return <RedirectHome />;
    return (
      <>
        <ScreenTitle title="Administration" />
        <ScreenHeading title="Administration" subtitle="What waits for your decision." />
        {content(user.id)}
      </>
    );
  }
  if (user && profile.isError) {
    return (
      <Titled>
        <ErrorState title={failureText(profile.error)} onRetry={() => void refetch()} retrying={isFetching} />
      </Titled>
    );
  }
  if (user || isRestoring) {
    return (
      <Titled>
        <DelayedFallback label="Checking access permissions...">
          <p aria-hidden className="py-16 text-center text-quiet">
            Checking access permissions...
          </p>
        </DelayedFallback>
      </Titled>
    );
  }
  return (
    <Titled>
      <ErrorState
        title="Access Denied"
        text="Sign in as an administrator to open this page."
        actions={<SignInButton />}
      />
    </Titled>
  );
}

function Titled({ children }: { children: ReactNode }) {
  return (
    <>
      <ScreenTitle title="Administration" />
      <h1 className="sr-only">Administration</h1>
      {children}
    </>
  );
}
