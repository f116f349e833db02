import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type ChangeDesc, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { manifestCompletions } from './manifest-completions.ts';
import { editorLook } from './editor-look.ts';
import { insertText } from './insert-text.ts';

export const manifestExtensions = (parts: {
  serverName: string;
  onSave: () => void;
  onChange: (changes: ChangeDesc) => void;
}): Extension[] => [
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [manifestCompletions], icons: false }),
  search({ top: true }),
  json(),
  insertText,
  EditorView.lineWrapping,
  editorLook,
  EditorView.theme({ '.cm-scroller': { minHeight: '20rem', maxHeight: 'min(70vh, 48rem)' } }),
  EditorView.contentAttributes.of({
    // not every screen reader knows that an editable element is focusable
    tabindex: '0',
    'aria-label': `Manifest of ${parts.serverName}. Escape, then Tab, leaves the editor.`,
  }),
  EditorState.tabSize.of(2),
  keymap.of([
    {
      key: 'Mod-s',
      run: () => {
        parts.onSave();
        return true;
      },
    },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...foldKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
  EditorView.updateListener.of(({ docChanged, changes }) => {
    if (docChanged) parts.onChange(changes);
  }),
];
