import type { ReactNode } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import type { UserWorkName } from '../user-failures.ts';
import { useUserChange, useUserText } from '../user-work.ts';
import { ActionFailure } from './action-failure.tsx';
import { FormDialog, type FormDialogProps, type UserDialogProps } from './form-dialog.tsx';
import { ReasonField } from './reason-field.tsx';

export function UserActionDialog<Answer>({
  work,
  user,
  open,
  onClose,
  reason: { draft, initial } = { draft: 'reason', initial: '' },
  change,
  onDone,
  children,
  ...dialog
}: UserDialogProps &
  Pick<FormDialogProps, 'title' | 'submitLabel' | 'variant'> & {
    work: UserWorkName;
    /** Name of the reason's draft, and its initial text. */
    reason?: { draft: string; initial: string };
    change: (reason: string) => Promise<Answer>;
    /** Reports what was done; called before the dialog closes. */
    onDone: (answer: Answer, toast: ReturnType<typeof useToast>) => void;
    children: ReactNode;
  }) {
  const toast = useToast();
  const [reason, setReason] = useUserText(work, { user, open }, draft, initial);
  const action = useUserChange(work, user, {
    change: () => change(reason),
    onDone: (answer) => {
      onDone(answer, toast);
      onClose();
    },
  });
  const send = () => action.mutate(undefined);
  return (
    <FormDialog
      {...dialog}
      open={open}
      onClose={onClose}
      description={user.email}
      busy={action.isPending}
      onSubmit={send}
    >
      {children}
      <ReasonField value={reason} onChange={setReason} />
      <ActionFailure work={work} error={action.error} again={send} />
    </FormDialog>
  );
}
