import { useEffect, useRef, useState } from 'react';
import { readDraft, writeDraft } from './draft-store.ts';

/** A dialog whose typed text is kept for an administrator. */
export type DraftedDialog = {
  adminId: string;
  /** Action and object, such as `delete.travel`. */
  dialog: string;
  open: boolean;
};

/**
 * Text typed in a dialog. Closing the dialog deletes it. If the session ends and the browser leaves the page, the text
 * reappears when the dialog opens again. Not for secrets: the browser tab stores it.
 */
export function useDialogText<Initial extends string | undefined>(
  { adminId, dialog, open }: DraftedDialog,
  field: string,
  initial: Initial,
): [text: string | Initial, setText: (text: string) => void] {
  const name = `dialog.${dialog}.${field}`;
  const [text, setText] = useState<string | Initial>(() => readDraft(adminId, name) ?? initial);
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open) writeDraft(adminId, name, undefined);
    wasOpen.current = open;
  }, [adminId, name, open]);
  return [
    text,
    (next) => {
      setText(next);
      writeDraft(adminId, name, next === initial ? undefined : next);
    },
  ];
}
