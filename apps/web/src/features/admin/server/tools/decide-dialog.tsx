import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi, adminKey } from '../../admin-api.ts';
import { useDialogText } from '../../use-dialog-text.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';

export type AskedDecision = { change: ToolChange; verdict: 'approve' | 'reject' };

export function DecideDialog({
  userId,
  change,
  verdict,
  open,
  onClose,
}: AskedDecision & { userId: string; open: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const toast = useToast();
  const dialog = `${verdict}.${change.id}`;
  const [reason, setReason] = useDialogText({ adminId: userId, dialog, open }, 'reason', '');
  const [missing, setMissing] = useState(false);
  const isApproval = verdict === 'approve';
  const decide = useSingleMutation({
    mutationFn: async () => {
      const call = { params: { id: change.id }, body: { reason: reason.trim() } };
      await (isApproval ? adminApi.approveToolChange(call) : adminApi.rejectToolChange(call));
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: adminKey(userId) });
      toast.success(isApproval ? `${change.tool} is approved.` : `${change.tool} stays hidden.`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title={isApproval ? `Approve ${change.tool}?` : `Keep ${change.tool} hidden?`}
      confirmLabel={isApproval ? 'Approve tool' : 'Keep hidden'}
      variant={isApproval ? 'primary' : 'danger'}
      busy={decide.isPending}
      error={decide.isError ? failureText(decide.error) : undefined}
      onConfirm={() => {
        setMissing(reason.trim() === '');
        if (reason.trim() !== '' && !decide.isPending) decide.mutate();
      }}
    >
      <p className="mb-4">
        {isApproval
          ? 'Everyone who can use the service sees the tool as it is offered now, and can call it.'
          : 'The tool stays hidden until the service offers it as you trusted it, you approve it after all, or you deploy a new version of it.'}
      </p>
      <ReasonField required error={missing ? 'Give a reason.' : undefined} value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}
