import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { EditorHandle } from '../editor/manifest-editor.tsx';
import type { ServerPartProps } from '../server-queries.ts';
import { keepUnsavedText, readUnsavedText } from './unsaved-text.ts';

/** A text rests this long before it is kept in the tab. */
const keepAfterMs = 400;

/** What an administrator has written in the editor since the stored manifest, kept in the tab. */
export function useManifestDraft(
  { userId, serverId, shown }: ServerPartProps,
  stored: string,
  editor: RefObject<EditorHandle | null>,
  onUnsavedChange: (isUnsaved: boolean) => void,
) {
  const [began] = useState(() => readUnsavedText(userId, serverId));
  /** The stored manifest that the text in the editor began from. */
  const [base, setBase] = useState({ text: stored, revision: began?.revision ?? shown.revision });
  const [isUnsaved, setIsUnsaved] = useState(began !== undefined);
  const tellUnsaved = (next: boolean) => {
    setIsUnsaved(next);
    onUnsavedChange(next);
  };
  const timer = useRef<number>(undefined);
  const stopTimer = () => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
  };
  const keep = () => {
    stopTimer();
    const text = editor.current?.text();
    if (text === undefined) return;
    const differs = text !== base.text;
    keepUnsavedText(userId, serverId, differs ? { text, revision: base.revision } : undefined);
    tellUnsaved(differs);
  };
  // what was typed in the last moment before the part is left, the sign-in lapses or the page is loaded again
  const keepLatest = useRef(keep);
  keepLatest.current = keep;
  useLayoutEffect(() => {
    const keepNow = () => {
      if (timer.current !== undefined) keepLatest.current();
    };
    window.addEventListener('pagehide', keepNow);
    return () => {
      window.removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);
  return {
    /** The text that was kept when this part was opened. */
    began,
    base,
    isUnsaved,
    /** Another administrator saved or deployed since. */
    hasMoved: shown.revision !== base.revision,
    onEdit(): void {
      if (!isUnsaved) tellUnsaved(true);
      window.clearTimeout(timer.current);
      // compared with what is stored when the text rests: a save or another administrator may have changed it since
      timer.current = window.setTimeout(() => keepLatest.current(), keepAfterMs);
    },
    onSaved(text: string, revision: string): void {
      const now = editor.current?.text() ?? text;
      // what was typed just before the click is no draft any more
      stopTimer();
      setBase({ text, revision });
      keepUnsavedText(userId, serverId, now === text ? undefined : { text: now, revision });
      tellUnsaved(now !== text);
    },
    /** The text counts from now on as written on top of what is stored. */
    rebase: () => setBase({ text: stored, revision: shown.revision }),
  };
}
