import type { ToolChange } from '@souk/contract/tool-changes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureText } from '#web/failure-text.ts';
import { adminApi, adminKey } from '../../admin-api.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';

export type Verdict = 'approve' | 'reject';

export type DecideDialogProps = {
  userId: string;
  /** Undefined: closed. */
  asked: { change: ToolChange; verdict: Verdict } | undefined;
  onClose: () => void;
};

/** Asks for the reason, which the audit keeps, then decides. A failure is shown in the dialog. */
export function DecideDialog({ userId, asked, onClose }: DecideDialogProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const [shown, setShown] = useState(asked);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  if (asked && asked !== shown) {
    setShown(asked);
    setReason('');
    setMissing(false);
  }
  const decide = useSingleMutation({
    mutationFn: async ({ change, verdict }: NonNullable<typeof asked>) => {
      const call = { params: { id: change.id }, body: { reason: reason.trim() } };
      await (verdict === 'approve' ? adminApi.approveToolChange(call) : adminApi.rejectToolChange(call));
    },
    onSuccess: async (_answer, { change, verdict }) => {
      await queries.invalidateQueries({ queryKey: adminKey(userId) });
      toast.success(verdict === 'approve' ? `${change.tool} is approved.` : `${change.tool} stays hidden.`);
      onClose();
    },
  });
  const isApproval = shown?.verdict === 'approve';
  return (
    <ConfirmDialog
      open={asked !== undefined}
      onOpenChange={() => {
        decide.reset();
        onClose();
      }}
      title={isApproval ? `Approve ${shown.change.tool}?` : `Keep ${shown?.change.tool ?? ''} hidden?`}
      confirmLabel={isApproval ? 'Approve tool' : 'Keep hidden'}
      variant={isApproval ? 'primary' : 'danger'}
      busy={decide.isPending}
      error={decide.isError ? failureText(decide.error) : undefined}
      onConfirm={() => {
        setMissing(reason.trim() === '');
        if (asked && reason.trim() !== '' && !decide.isPending) decide.mutate(asked);
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
