import { EditorView } from '@codemirror/view';

/**
 * Inserts a whole text, as from dictation, autofill or a text expander, in place of the browser: Chrome gives the lines that it
 * replaces an inline style, which our content security policy refuses. Single characters are left to the browser.
 */
export const insertText = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const range = event.getTargetRanges()[0] ?? selectedIn(view.root);
    if (inputType !== 'insertText' || data === null || data.length < 2 || !range || view.composing) return false;
    if (![range.startContainer, range.endContainer].every((node) => view.contentDOM.contains(node))) return false;
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    const to = view.posAtDOM(range.endContainer, range.endOffset);
    const insert = view.state.toText(data);
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    event.preventDefault();
    return true;
  },
});

/** Returns the selection of a shadow root, where Chrome passes no target range. */
function selectedIn(root: DocumentOrShadowRoot): AbstractRange | undefined {
  if (!('getSelection' in root) || typeof root.getSelection !== 'function') return undefined;
  const selection: unknown = root.getSelection();
  return selection instanceof Selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
}
