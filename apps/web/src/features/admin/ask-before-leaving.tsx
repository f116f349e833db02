import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { parseAdminSearch, type AdminSearch } from './admin-search.ts';

export function AskBeforeLeaving({
  isUnsaved,
  staysAt,
  children,
}: {
  isUnsaved: boolean;
  /** Whether an address of the administration still shows this page. */
  staysAt: (search: AdminSearch) => boolean;
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
