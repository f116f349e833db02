import { useId, type ReactNode, type RefObject } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

export type UserDialogProps = {
  user: { id: string; email: string };
  open: boolean;
  onClose: () => void;
};

export type FormDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  size?: 'small' | 'medium' | undefined;
  submitLabel: string;
  variant?: 'primary' | 'danger' | undefined;
  /** By default, only dangerous dialogs are urgent. */
  urgent?: boolean | undefined;
  /** While busy, the dialog stays open and sends nothing. */
  busy: boolean;
  disabled?: boolean | undefined;
  form?: RefObject<HTMLFormElement | null> | undefined;
  onSubmit: () => void;
  /** Shows Back in place of Cancel. */
  onBack?: (() => void) | undefined;
  children: ReactNode;
};

export function FormDialog(props: FormDialogProps) {
  const { variant = 'primary', urgent = variant === 'danger', busy, form, onSubmit, onClose, onBack, children } = props;
  const formId = useId();
  const unlessBusy = (act: () => void) => () => {
    if (!busy) act();
  };
  return (
    <Dialog
      size={props.size ?? 'small'}
      open={props.open}
      urgent={urgent}
      onOpenChange={unlessBusy(onClose)}
      title={props.title}
      description={props.description}
      footer={
        <>
          <Button onClick={unlessBusy(onBack ?? onClose)}>{onBack ? 'Back' : 'Cancel'}</Button>
          <Button type="submit" form={formId} variant={variant} loading={busy} disabled={props.disabled}>
            {props.submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) onSubmit();
        }}
        className="flex flex-col gap-4"
      >
        {children}
      </form>
    </Dialog>
  );
}
