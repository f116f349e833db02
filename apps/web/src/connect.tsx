import { useRouter } from '@tanstack/react-router';
import { CallbackScreen } from '#features/connections/callback-screen.tsx';
import { ConnectScreen } from '#features/connections/connect-screen.tsx';
import { useSession } from '#features/identity/session-provider.tsx';

/** /connect/{serverId}, with the session that it needs; loaded when somebody goes there. */
export function Connect({ serverId }: { serverId: string }) {
  const { user, isRestoring, session } = useSession();
  const router = useRouter();
  return (
    <ConnectScreen
      key={`${serverId} ${user?.id ?? ''}`}
      serverId={serverId}
      user={user}
      isRestoring={isRestoring}
      onSignIn={() => session.startSignIn(router.state.location.href)}
      onSignOut={() => session.signOut()}
    />
  );
}

/** /connect/callback, once it is known who is signed in. */
export function ConnectCallback() {
  const { user, isRestoring } = useSession();
  const router = useRouter();
  return (
    <CallbackScreen
      userId={user?.id}
      isRestoring={isRestoring}
      onDone={(serverId) => void router.navigate({ to: '/connect/$serverId', params: { serverId }, replace: true })}
    />
  );
}
