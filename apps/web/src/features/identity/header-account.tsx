import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import ChevronDown from 'lucide-react/icons/chevron-down';
import LayoutDashboard from 'lucide-react/icons/layout-dashboard';
import LogOut from 'lucide-react/icons/log-out';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useState, type ReactNode } from 'react';
import { Avatar } from '#ui/picture/avatar.tsx';
import { Button } from '#ui/button.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import type { MenuEntry } from '#ui/overlay/menu-popup.tsx';
import { Menu } from '#ui/overlay/menu.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { profileQuery } from './queries.ts';
import { useSession } from './session/session-provider.tsx';
import type { SignedInUser } from './session/signed-in-user.ts';
import { useSignOut } from './session/use-sign-out.ts';

export type HeaderAccountProps = {
  /** Shown on an administrator's account button and menu entry. */
  adminMark: (userId: string) => ReactNode;
};

export function HeaderAccount({ adminMark }: HeaderAccountProps) {
  const { user, isRestoring } = useSession();
  if (user) return <AccountMenu user={user} adminMark={adminMark} />;
  if (!isRestoring) return <SignInButton />;
  return (
    <DelayedFallback label="Restoring your session…">
      <Skeleton className="h-9 w-20" />
    </DelayedFallback>
  );
}

export type SignInButtonProps = {
  label?: string;
  /** The path after the sign-in; this page by default. */
  returnTo?: string;
};

/** Goes to the broker's sign-in and comes back. */
export function SignInButton({ label = 'Sign In', returnTo }: SignInButtonProps) {
  const { session } = useSession();
  const router = useRouter();
  const [leaving, setLeaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const leave = () => {
    setLeaving(true);
    session.startSignIn(returnTo ?? router.state.location.href).catch((error: unknown) => {
      setLeaving(false);
      setFailure(failureText(error));
    });
  };
  return (
    <>
      {failure && (
        <span role="alert" className="text-bad">
          {failure}
        </span>
      )}
      <Button variant="primary" loading={leaving} onClick={leave}>
        {label}
      </Button>
    </>
  );
}

function AccountMenu({ user, adminMark }: HeaderAccountProps & { user: SignedInUser }) {
  const signOut = useSignOut();
  const profile = useQuery(profileQuery(user.id));
  const name = user.displayName || user.email;
  // the profile says who is an administrator: the bundle holds no address (clarifications, Sign-in)
  const isAdmin = profile.data?.role === 'admin';
  const mark = isAdmin && adminMark(user.id);
  const adminIcon = (
    <span className="relative inline-flex">
      <ShieldCheck aria-hidden size={16} />
      {mark}
    </span>
  );
  const entries: MenuEntry[] = [
    { label: 'Dashboard', to: '/dashboard', icon: <LayoutDashboard aria-hidden size={16} /> },
    ...(isAdmin ? [{ label: 'Admin', to: '/admin', icon: adminIcon } as const] : []),
    'separator',
    { label: 'Sign Out', onSelect: () => void signOut(), icon: <LogOut aria-hidden size={16} /> },
  ];
  return (
    <Menu label={`Account of ${name}`} entries={entries} className="max-w-56 px-2! sm:-mr-2">
      <span className="relative shrink-0">
        <Avatar name={name} src={user.photoURL} size={24} />
        {mark}
      </span>
      <span dir="auto" className="truncate text-text max-sm:sr-only md:max-lg:sr-only">
        {name}
      </span>
      <ChevronDown aria-hidden size={14} className="shrink-0 max-sm:hidden md:max-lg:hidden" />
    </Menu>
  );
}
