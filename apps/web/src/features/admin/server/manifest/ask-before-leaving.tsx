import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';

/** Asks before a server's page is left while its text is not saved. Its other parts are no leaving: the text waits there. */
export function AskBeforeLeaving({
  serverId,
  isUnsaved,
  name,
}: {
  serverId: string;
  isUnsaved: boolean;
  name: string;
}) {
  const blocker = useBlocker({
    withResolver: true,
    enableBeforeUnload: () => isUnsaved,
    shouldBlockFn: ({ next }) => {
      const stays = next.pathname === '/admin' && Reflect.get(next.search, 'id') === serverId;
      return isUnsaved && !stays;
    },
  });
  return (
    <ConfirmDialog
      open={blocker.status === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Keep editing"
      variant="primary"
      onConfirm={() => blocker.proceed?.()}
    >
      Your text of {name} isn&apos;t saved. It stays in this browser tab until you come back, and is lost when you close
      the tab.
    </ConfirmDialog>
  );
}
