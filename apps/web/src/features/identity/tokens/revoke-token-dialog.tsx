import type { PersonalToken } from '@souk/contract/identity.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { api } from '#web/api.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { tokensKey } from '../queries.ts';

export type RevokeTokenDialogProps = {
  userId: string;
  token: PersonalToken | undefined;
  onClose: () => void;
  onRevoked: (token: PersonalToken) => void;
};

export function RevokeTokenDialog({ userId, token, onClose, onRevoked }: RevokeTokenDialogProps) {
  const queries = useQueryClient();
  const shown = useFrozen(token, token === undefined);
  const revoke = useMutation({
    mutationFn: ({ id }: PersonalToken) => api.revokePersonalToken({ params: { id } }),
    onSuccess: async (_answer, revoked) => {
      await queries.invalidateQueries({ queryKey: tokensKey(userId) });
      onClose();
      onRevoked(revoked);
    },
  });
  const failure = revoke.isError ? failureLine('Failed to revoke PAT', revoke.error) : undefined;
  return (
    <ConfirmDialog
      open={token !== undefined}
      onOpenChange={() => {
        revoke.reset();
        onClose();
      }}
      title={`Revoke “${shown?.name ?? ''}”?`}
      confirmLabel="Revoke token"
      busy={revoke.isPending}
      error={failure}
      onConfirm={() => token && !revoke.isPending && revoke.mutate(token)}
    >
      Anything using it stops working immediately. This action cannot be undone.
    </ConfirmDialog>
  );
}
