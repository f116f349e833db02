import type { ConnectedApp } from '@souk/contract/connected-apps.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { api } from '#web/api.ts';
import { connectedAppsKey } from './queries.ts';
import { describeFailure } from './token-texts.ts';

export type DisconnectAppDialogProps = {
  userId: string;
  /** Undefined: closed. */
  app: ConnectedApp | undefined;
  onClose: () => void;
  onDisconnected: (app: ConnectedApp) => void;
};

/** Asks, then ends the client's sign-in. A failure stays in the dialog. */
export function DisconnectAppDialog({ userId, app, onClose, onDisconnected }: DisconnectAppDialogProps) {
  const queries = useQueryClient();
  const [shown, setShown] = useState(app);
  if (app && app !== shown) setShown(app);
  const disconnect = useMutation({
    mutationFn: ({ id }: ConnectedApp) => api.disconnectApp({ params: { userId, id } }),
    onSuccess: async (_answer, gone) => {
      await queries.invalidateQueries({ queryKey: connectedAppsKey(userId) });
      onClose();
      onDisconnected(gone);
    },
  });
  const failure = disconnect.isError ? describeFailure('Failed to disconnect', disconnect.error) : undefined;
  return (
    <ConfirmDialog
      open={app !== undefined}
      onOpenChange={() => {
        disconnect.reset();
        onClose();
      }}
      title={`Disconnect “${shown?.clientName ?? ''}”?`}
      confirmLabel="Disconnect"
      busy={disconnect.isPending}
      error={failure && [failure.title, failure.reason].filter(Boolean).join(': ')}
      onConfirm={() => app && !disconnect.isPending && disconnect.mutate(app)}
    >
      Its access ends at once. To use it again you sign in there and allow it anew.
    </ConfirmDialog>
  );
}
