import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { EditorHandle } from '../editor/manifest-editor.tsx';
import type { ServerPartProps } from '../server-queries.ts';
import { storeUnsavedText, readUnsavedText } from './unsaved-text.ts';

/** Pause in typing before the text is stored in the tab. */
const storeAfterMs = 400;

/** State of the edited text, which is stored in the tab until it is saved. */
export function useManifestDraft(
  { userId, serverId, shown }: ServerPartProps,
  stored: string,
  editor: RefObject<EditorHandle | null>,
  onUnsavedChange: (isUnsaved: boolean) => void,
) {
  const [restored] = useState(() => readUnsavedText(userId, serverId));
  /** The stored manifest that the edited text started from. */
  const [base, setBase] = useState({ text: stored, revision: restored?.revision ?? shown.revision });
  const [isUnsaved, setIsUnsaved] = useState(restored !== undefined);
  const markUnsaved = (next: boolean) => {
    setIsUnsaved(next);
    onUnsavedChange(next);
  };
  const timer = useRef<number>(undefined);
  const stopTimer = () => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
  };
  const store = () => {
    stopTimer();
    const text = editor.current?.text();
    if (text === undefined) return;
    const differs = text !== base.text;
    storeUnsavedText(userId, serverId, differs ? { text, revision: base.revision } : undefined);
    markUnsaved(differs);
  };
  // stores the last keystrokes when the administrator leaves, the session ends or the page reloads
  const storeLatest = useRef(store);
  storeLatest.current = store;
  useLayoutEffect(() => {
    const storeNow = () => {
      if (timer.current !== undefined) storeLatest.current();
    };
    window.addEventListener('pagehide', storeNow);
    return () => {
      window.removeEventListener('pagehide', storeNow);
      storeNow();
    };
  }, []);
  const rebase = () => setBase({ text: stored, revision: shown.revision });
  return {
    /** The unsaved text from before this part was opened. */
    restored,
    base,
    isUnsaved,
    /** Another administrator saved or deployed since. */
    isStale: shown.revision !== base.revision,
    onEdit(): void {
      if (!isUnsaved) markUnsaved(true);
      window.clearTimeout(timer.current);
      // compares after the pause, since a save or another administrator may change the base
      timer.current = window.setTimeout(() => storeLatest.current(), storeAfterMs);
    },
    onSaved(text: string, revision: string): void {
      const now = editor.current?.text() ?? text;
      // the keystrokes just before the click are saved too
      stopTimer();
      setBase({ text, revision });
      storeUnsavedText(userId, serverId, now === text ? undefined : { text: now, revision });
      markUnsaved(now !== text);
    },
    takeStored(): void {
      rebase();
      editor.current?.replaceText(stored);
    },
    /** Shows the stored manifest, without an edit if the text is the same. */
    followStored(): void {
      rebase();
      if (editor.current?.text() !== stored) editor.current?.replaceText(stored);
    },
    /** Keeps the text as edits of the stored manifest. */
    keepOwn(): void {
      rebase();
      storeUnsavedText(userId, serverId, { text: editor.current?.text() ?? '', revision: shown.revision });
    },
  };
}
