import type { ConnectedApp } from '@souk/contract/connected-apps.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { api } from '#web/api.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { connectedAppsKey } from '../queries.ts';

export type DisconnectAppDialogProps = {
  userId: string;
  app: ConnectedApp | undefined;
  onClose: () => void;
  onDisconnected: (app: ConnectedApp) => void;
};

export function DisconnectAppDialog({ userId, app, onClose, onDisconnected }: DisconnectAppDialogProps) {
  const queries = useQueryClient();
  const shown = useFrozen(app, app === undefined);
  const disconnect = useMutation({
    mutationFn: ({ id }: ConnectedApp) => api.disconnectApp({ params: { userId, id } }),
    onSuccess: async (_answer, disconnected) => {
      await queries.invalidateQueries({ queryKey: connectedAppsKey(userId) });
      onClose();
      onDisconnected(disconnected);
    },
  });
  const failure = disconnect.isError ? failureLine('Failed to disconnect', disconnect.error) : undefined;
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
      error={failure}
      onConfirm={() => app && !disconnect.isPending && disconnect.mutate(app)}
    >
      It loses access immediately. To use it again, sign in from the app and allow it.
    </ConfirmDialog>
  );
}
