import { json } from '@codemirror/lang-json';
import { foldGutter } from '@codemirror/language';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useSyncExternalStore } from 'react';
import { editorLook } from './editor-look.ts';
import { useInShadow } from './use-in-shadow.ts';

export type RawDifferencesProps = {
  /** Name of the side: "1.0.0". */
  beforeLabel: string;
  afterLabel: string;
  before: string;
  after: string;
};

/** Limits of the comparison, which takes quadratic time for texts that have nothing in common. */
const diffConfig = { scanLimit: 500, timeout: 40 };
const collapseUnchanged = { margin: 3, minSize: 6 };

const wide = window.matchMedia('(min-width: 64rem)');
const subscribe = (listener: () => void) => {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
};

const diffLook = EditorView.theme({
  '&': { maxHeight: '32rem' },
  '&.cm-merge-b': { marginLeft: '8px' },
  '.cm-changedLine, .cm-deletedChunk, .cm-inlineChangedLine': { padding: '0 12px 0 4px' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--color-bad-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--color-good-soft)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    textDecoration: 'underline var(--color-bad)',
    textUnderlineOffset: '3px',
  },
  '&.cm-merge-b .cm-changedText': {
    background: 'none',
    textDecoration: 'underline var(--color-good)',
    textUnderlineOffset: '3px',
  },
});

const readOnly = (label: string): Extension => [
  lineNumbers(),
  foldGutter(),
  json(),
  EditorView.lineWrapping,
  editorLook,
  diffLook,
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
];

/** Two texts side by side, or merged on narrow screens. Equal parts are folded. */
export function RawDifferences({ beforeLabel, afterLabel, before, after }: RawDifferencesProps) {
  const isWide = useSyncExternalStore(subscribe, () => wide.matches);
  const host = useInShadow(
    (root) =>
      isWide
        ? new MergeView({
            a: { doc: before, extensions: readOnly(beforeLabel) },
            b: { doc: after, extensions: readOnly(afterLabel) },
            collapseUnchanged,
            diffConfig,
            gutter: true,
            parent: root,
            root,
          })
        : new EditorView({
            doc: after,
            extensions: [
              readOnly(`${beforeLabel} and ${afterLabel}`),
              unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged, diffConfig }),
            ],
            parent: root,
            root,
          }),
    [isWide, before, after, beforeLabel, afterLabel],
  );
  return (
    <div>
      {isWide && (
        <div className="mb-1.5 grid grid-cols-2 gap-2 text-xs text-quiet">
          <span>{beforeLabel}</span>
          <span>{afterLabel}</span>
        </div>
      )}
      <div ref={host} />
    </div>
  );
}
