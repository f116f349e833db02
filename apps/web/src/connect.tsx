import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { CallbackScreen } from '#features/upstreams/sign-in/callback-screen.tsx';
import { ConnectScreen } from '#features/upstreams/sign-in/connect-screen.tsx';
import { useSession } from '#features/identity/session/session-provider.tsx';

/** /connect/{serverId} with the session. Loaded when its address is opened. */
export function Connect({ serverId }: { serverId: string }) {
  const { user, isRestoring, session } = useSession();
  const router = useRouter();
  // while the account is switched no user is signed in, and the screen must not start its own sign-in
  const [isSwitching, setSwitching] = useState(false);
  const switchAccount = () => {
    setSwitching(true);
    // if it fails, the screen's own sign-in shows why
    session.switchAccount(router.state.location.href).catch(() => setSwitching(false));
  };
  return (
    <ConnectScreen
      key={`${serverId} ${user?.id ?? ''}`}
      serverId={serverId}
      user={user}
      isRestoring={isRestoring || isSwitching}
      onSignIn={() => session.startSignIn(router.state.location.href)}
      onSwitchAccount={switchAccount}
    />
  );
}

export function ConnectCallback() {
  const { user, isRestoring } = useSession();
  const router = useRouter();
  return <CallbackScreen userId={user?.id} isRestoring={isRestoring} onDone={(path) => router.history.replace(path)} />;
}
