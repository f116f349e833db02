import { useRef, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import type { DialogProps } from './dialog-popup.tsx';
import { Notice } from '../state/notice.tsx';

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** What will happen, and whether it can be undone. */
  children?: ReactNode;
  /** The verb: "Revoke token", never "OK". */
  confirmLabel: string;
  cancelLabel?: string | undefined;
  /** danger unless said otherwise. */
  variant?: 'primary' | 'danger' | undefined;
  /** It cannot be confirmed before what it does is shown. */
  disabled?: boolean | undefined;
  /** Under way: the dialog stays, the button turns. */
  busy?: boolean | undefined;
  /** It failed: shown beside the buttons of the dialog, which stays open. */
  error?: string | undefined;
  /** What helps against the error: a button. */
  errorAction?: ReactNode;
  /** The focus starts at the button that changes nothing, and not at a link of the text. */
  startsAtCancel?: boolean | undefined;
  /** small unless said otherwise. */
  size?: DialogProps['size'];
  onConfirm: () => void;
};

/** Asks before something is taken away. Controlled: the caller closes it when the work is done. */
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
