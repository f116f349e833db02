import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

/** What every dialog takes that does something to one user. */
export type UserDialogProps = {
  user: { id: string; email: string };
  open: boolean;
  onClose: () => void;
};

export type FormDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  /** The id of the form that it holds. */
  formId: string;
  submitLabel: string;
  variant?: 'primary' | 'danger' | undefined;
  /** Under way: it stays open. */
  busy: boolean;
  disabled?: boolean | undefined;
  children: ReactNode;
};

/** A dialog with one form: Cancel, and a button that sends it. */
export function FormDialog(props: FormDialogProps) {
  const {
    open,
    onClose,
    title,
    description,
    formId,
    submitLabel,
    variant = 'primary',
    busy,
    disabled,
    children,
  } = props;
  const close = () => {
    if (!busy) onClose();
  };
  return (
    <Dialog
      size="small"
      open={open}
      urgent={variant === 'danger'}
      onOpenChange={close}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" form={formId} variant={variant} loading={busy} disabled={disabled}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
