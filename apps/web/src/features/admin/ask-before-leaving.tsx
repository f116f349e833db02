import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { parseAdminSearch, type AdminSearch } from './admin-search.ts';

/** Asks before a page is left while what was typed there is not saved. */
export function AskBeforeLeaving({
  isUnsaved,
  staysAt,
  children,
}: {
  isUnsaved: boolean;
  /** An address of the administration that shows the same page is no leaving. */
  staysAt: (search: AdminSearch) => boolean;
  /** Says what is lost, and when. */
  children: ReactNode;
}) {
  const blocker = useBlocker({
    withResolver: true,
    enableBeforeUnload: () => isUnsaved,
    shouldBlockFn: ({ next }) =>
      isUnsaved && !(next.pathname === '/admin' && staysAt(parseAdminSearch({ ...next.search }))),
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
      {children}
    </ConfirmDialog>
  );
}
