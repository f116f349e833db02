import { useQuery } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import { SignInButton } from '#features/identity/header-account.tsx';
import { profileQuery } from '#features/identity/queries.ts';
import { RedirectHome } from '#features/identity/sign-in/redirect-home.tsx';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { failureText } from './texts/failure-text.ts';
import { lazyScreen } from './loading/lazy-screen.ts';

/** Only administrators load the code and styles of their area. */
const AdminArea = lazyScreen(() => import('./admin-area.tsx'), 'AdminArea');

/**
 * /admin: shows the area to administrators, sends other users home, and asks visitors to sign in (spec part 2, section
 * 2). This decides only what is loaded and rendered: the broker checks permissions on each call.
 */
export function Admin() {
  const { user, isRestoring, hasEnded } = useSession();
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: user !== undefined });
  if (user && profile.data) {
    if (profile.data.role !== 'admin') return <RedirectHome />;
    return (
      <Suspense fallback={<Checking />}>
        <AdminArea userId={user.id} />
      </Suspense>
    );
  }
  if (!user && !isRestoring) {
    return (
      <Titled>
        <ErrorState
          title="Access Denied"
          text="Sign in as an administrator to open this page."
          // the notice above says that the session has ended, and has a sign-in button
          actions={!hasEnded && <SignInButton />}
        />
      </Titled>
    );
  }
  if (user && profile.isError) {
    return (
      <Titled>
        <ErrorState
          title={failureText(profile.error)}
          onRetry={() => void profile.refetch()}
          retrying={profile.isFetching}
        />
      </Titled>
    );
  }
  return <Checking />;
}

function Checking() {
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

function Titled({ children }: { children: ReactNode }) {
  return (
    <>
      <ScreenTitle title="Administration" />
      <h1 className="sr-only">Administration</h1>
      {children}
    </>
  );
}
