import { Suspense, useRef } from 'react';
import { lazyPart } from '#ui/lazy-part.ts';
import type { DialogProps } from './dialog-popup.tsx';
import { rememberFocus } from './focus-return.ts';

const loadPopup = () => import('./dialog-popup.tsx');
const DialogPopup = lazyPart(loadPopup, 'DialogPopup');

/** Fetches the code of dialogs before the first one opens, when the user points at its button. */
export function preloadDialog(): void {
  void loadPopup();
}

/** A modal dialog, controlled. Moves the focus in and back out; the page behind does not scroll. */
export function Dialog(props: DialogProps) {
  const wasOpened = useRef(false);
  const isOpen = useRef(false);
  const focusReturn = useRef<ReturnType<typeof rememberFocus>>(undefined);
  if (props.open) wasOpened.current = true;
  if (props.open && !isOpen.current) focusReturn.current = rememberFocus();
  isOpen.current = props.open;
  // stays mounted once opened, since closing is animated
  if (!wasOpened.current) return null;
  return (
    <Suspense fallback={null}>
      <DialogPopup {...props} focusReturn={focusReturn.current} />
    </Suspense>
  );
}
