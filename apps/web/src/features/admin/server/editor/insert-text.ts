import { EditorView } from '@codemirror/view';

/**
 * Takes a text that is inserted whole, as dictation, autofill and text expanders do, instead of leaving it to the browser: Chrome
 * gives what it inserts in the place of lines an inline style, which our policy refuses. A character that is typed goes the
 * usual way.
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

/** Chrome names no target range to a shadow root, whose selection is its own there. */
function selectedIn(root: DocumentOrShadowRoot): AbstractRange | undefined {
  if (!('getSelection' in root) || typeof root.getSelection !== 'function') return undefined;
  const selection: unknown = root.getSelection();
  return selection instanceof Selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
}
