import { useRouter } from '@tanstack/react-router';
import X from 'lucide-react/icons/x';
import { Button } from '#ui/button.tsx';
import { IconButton } from '#ui/icon-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';
import { useSession } from './session-provider.tsx';

/** Says why the page has changed after the session ended, until the user signs in again or closes the notice. */
export function SessionEndNotice() {
  const { hasEnded, isDeactivated, session } = useSession();
  const router = useRouter();
  if (!hasEnded) return null;
  return (
    <div className="mb-6">
      <Notice
        action={
          <span className="-my-1 flex items-center gap-1">
            {!isDeactivated && (
              <Button size="small" onClick={() => void session.startSignIn(router.state.location.href)}>
                Sign in again
              </Button>
            )}
            <IconButton
              size="small"
              label="Close"
              icon={<X aria-hidden size={15} />}
              onClick={() => session.acknowledgeEnd()}
            />
          </span>
        }
      >
        {isDeactivated ? (
          <>
            Your account has been deactivated, so you've been signed out. If you think that this is a mistake, ask{' '}
            <TextAnchor href={`mailto:${config.supportEmail}`}>{config.supportEmail}</TextAnchor>.
          </>
        ) : (
          "You've been signed out."
        )}
      </Notice>
    </div>
  );
}
