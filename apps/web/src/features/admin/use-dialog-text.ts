import { useEffect, useRef, useState } from 'react';
import { readDraft, writeDraft } from './draft-store.ts';

/** A dialog of the administrator who works here. */
export type DraftedDialog = {
  adminId: string;
  /** What it does, and to what. */
  dialog: string;
  open: boolean;
};

/**
 * A text that is typed in a dialog. Closing the dialog forgets it; a sign-in that lapses takes the dialog away with its page, and
 * then it is there again when the dialog is opened anew. Not for secrets: the browser tab keeps it.
 * @param field of the dialog
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
