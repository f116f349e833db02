import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useSession } from './session-provider.tsx';

/** Says why the page waits or shows stale figures: the session can be neither renewed nor restored for now. */
export function SessionAwayNotice() {
  const { isAway, session } = useSession();
  if (!isAway) return null;
  return (
    <div className="mb-6">
      <Notice
        action={
          <Button size="small" className="-my-1" onClick={() => void session.wake()}>
            Try now
          </Button>
        }
      >
        The service is not available right now. This page continues automatically once it's back.
      </Notice>
    </div>
  );
}
