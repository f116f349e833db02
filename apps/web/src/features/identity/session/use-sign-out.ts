import { useNavigate } from '@tanstack/react-router';
import { useSession } from './session-provider.tsx';

export function useSignOut(): () => Promise<void> {
  const { session } = useSession();
  const navigate = useNavigate();
  return async () => {
    const done = session.signOut();
    await navigate({ to: '/' });
    await done;
  };
}
