import { lazy, Suspense, useRef, type ReactNode } from 'react';

export type DialogProps = {
  open: boolean;
  /** Asked to close: Escape, the cross, a click beside it. */
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** 400, 520 or 720 px at most. */
  size?: 'small' | 'medium' | 'large' | undefined;
  /** role=alertdialog: a click beside it does not close it. */
  urgent?: boolean | undefined;
  /** Buttons; the one to press comes last. */
  footer?: ReactNode;
  children?: ReactNode;
};

const loadPopup = () => import('./dialog-popup.tsx');
const DialogPopup = lazy(async () => ({ default: (await loadPopup()).DialogPopup }));

/** Fetches the code of dialogs ahead of the first one, when a person points at what opens it. */
export function preloadDialog(): void {
  void loadPopup();
}

/** A modal dialog, controlled. Focus goes in and comes back; the page behind does not scroll. */
export function Dialog(props: DialogProps) {
  const wasOpened = useRef(false);
  if (props.open) wasOpened.current = true;
  // stays mounted once opened: closing is animated
  if (!wasOpened.current) return null;
  return (
    <Suspense fallback={null}>
      <DialogPopup {...props} />
    </Suspense>
  );
}
