import { Suspense, useRef } from 'react';
import { lazyPart } from '#ui/lazy-part.ts';
import type { DialogProps } from './dialog-popup.tsx';
import { rememberFocus } from './focus-return.ts';

const loadPopup = () => import('./dialog-popup.tsx');
const DialogPopup = lazyPart(loadPopup, 'DialogPopup');

/** Fetches the code of dialogs ahead of the first one, when a person points at what opens it. */
export function preloadDialog(): void {
  void loadPopup();
}

/** A modal dialog, controlled. Focus goes in and comes back; the page behind does not scroll. */
export function Dialog(props: DialogProps) {
  const wasOpened = useRef(false);
  const isOpen = useRef(false);
  const focusReturn = useRef<ReturnType<typeof rememberFocus>>(undefined);
  if (props.open) wasOpened.current = true;
  if (props.open && !isOpen.current) focusReturn.current = rememberFocus();
  isOpen.current = props.open;
  // stays mounted once opened: closing is animated
  if (!wasOpened.current) return null;
  return (
    <Suspense fallback={null}>
      <DialogPopup {...props} focusReturn={focusReturn.current} />
    </Suspense>
  );
}
