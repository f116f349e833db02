import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// The page's classes don't apply in a shadow root, but variables are inherited: our colours, both themes and the system's forced
// colours come through them.

const button = {
  appearance: 'none',
  border: '1px solid var(--color-line)',
  borderRadius: '6px',
  background: 'var(--color-surface)',
  color: 'var(--color-text)',
  font: 'inherit',
  padding: '3px 10px',
  cursor: 'pointer',
};

const theme = EditorView.theme({
  '&': {
    color: 'var(--color-text)',
    backgroundColor: 'var(--color-surface)',
    fontSize: '0.8125rem',
    border: '1px solid var(--color-line-strong)',
    borderRadius: '8px',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.25rem', overflow: 'auto' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--color-text)' },
  '.cm-line': { padding: '0 12px 0 4px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-ground)',
    color: 'var(--color-faint)',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 10px' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'light-dark(rgb(20 16 12 / 0.03), rgb(255 255 255 / 0.03))',
  },
  '.cm-selectionBackground': { background: 'light-dark(#dbe4fb, #303d66)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'light-dark(#cbd8fb, #3a4a7d)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    background: 'var(--color-accent-soft)',
    outline: '1px solid var(--color-accent)',
  },
  '.cm-searchMatch': { background: 'var(--color-accent-soft)', outline: '1px solid var(--color-accent)' },
  '.cm-searchMatch-selected': { background: 'light-dark(#cbd8fb, #3a4a7d)' },
  '.cm-selectionMatch': { background: 'var(--color-sunken)' },
  '.cm-foldPlaceholder': {
    background: 'var(--color-sunken)',
    border: '1px solid var(--color-line)',
    color: 'var(--color-quiet)',
  },
  '.cm-panels': { backgroundColor: 'var(--color-ground)', color: 'var(--color-text)', fontFamily: 'var(--font-sans)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--color-line)' },
  '.cm-panel.cm-search': { padding: '8px 28px 8px 10px', fontSize: '0.8125rem' },
  '.cm-panel.cm-search label': { fontSize: '0.8125rem' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--color-quiet)', fontSize: '1rem', padding: '0 6px', top: '6px' },
  '.cm-textfield': {
    border: '1px solid var(--color-line-strong)',
    borderRadius: '6px',
    background: 'var(--color-surface)',
    color: 'var(--color-text)',
    fontSize: '0.8125rem',
    padding: '3px 8px',
  },
  '.cm-button': { ...button, backgroundImage: 'none' },
  '.cm-tooltip': {
    background: 'var(--color-raised)',
    color: 'var(--color-text)',
    border: '1px solid var(--color-line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow-float)',
    fontFamily: 'var(--font-sans)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--color-hover)', color: 'var(--color-text)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--color-accent)' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 10px', maxWidth: '20rem', color: 'var(--color-quiet)' },
  '.cm-diagnostic': { borderLeft: 'none', padding: '6px 10px' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-bad)',
    textUnderlineOffset: '3px',
    textDecorationSkipInk: 'none',
  },
  '.cm-lint-marker': { width: '0.75em', height: '0.75em' },
  '.cm-changedText': { background: 'none' },
  '.cm-collapsedLines': {
    background: 'var(--color-sunken)',
    color: 'var(--color-quiet)',
    fontFamily: 'var(--font-sans)',
    padding: '4px 12px',
  },
  '@media (forced-colors: active)': {
    // style-mod doesn't resolve `&` in an at-rule, and the rule of a focused editor above is more specific
    '.cm-selectionBackground': { background: 'Highlight !important' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      background: 'Highlight',
      color: 'HighlightText',
      forcedColorAdjust: 'none',
    },
    '.cm-cursor': { borderLeftColor: 'CanvasText' },
  },
});

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--color-text)' },
  { tag: tags.string, color: 'var(--color-accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--color-text)', fontWeight: '600' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--color-quiet)' },
]);

export const editorLook: Extension = [theme, syntaxHighlighting(highlight)];
