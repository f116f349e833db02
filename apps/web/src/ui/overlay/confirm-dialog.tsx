import { useRef, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import type { DialogProps } from './dialog-popup.tsx';
import { Notice } from '../state/notice.tsx';

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** Says what will happen, and whether it can be undone. */
  children?: ReactNode;
  /** A verb: "Revoke token", never "OK". */
  confirmLabel: string;
  cancelLabel?: string | undefined;
  variant?: 'primary' | 'danger' | undefined;
  /** Set while the consequences are not shown yet. */
  disabled?: boolean | undefined;
  /** The dialog stays open, and the button shows a spinner. */
  busy?: boolean | undefined;
  /** Shown above the buttons; the dialog stays open. */
  error?: string | undefined;
  errorAction?: ReactNode;
  /** The focus starts at Cancel instead of at the first link of the text. */
  startsAtCancel?: boolean | undefined;
  size?: DialogProps['size'];
  onConfirm: () => void;
};

/** Asks before a change. Controlled: the caller closes it when the change is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    open,
    onOpenChange,
    title,
    children,
    confirmLabel,
    cancelLabel = 'Cancel',
    variant = 'danger',
    disabled,
    busy,
    error,
    errorAction,
    startsAtCancel,
    onConfirm,
    size = 'small',
  } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      urgent
      size={size}
      open={open}
      onOpenChange={(next) => !busy && onOpenChange(next)}
      title={title}
      initialFocus={startsAtCancel ? cancel : undefined}
      notices={
        error && (
          <Notice tone="bad" action={errorAction}>
            {error}
          </Notice>
        )
      }
      footer={
        <>
          <Button ref={cancel} onClick={() => !busy && onOpenChange(false)}>
            {cancelLabel}
          </Button>
          <Button variant={variant} loading={busy} disabled={disabled} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="text-quiet">{children}</div>
    </Dialog>
  );
}
