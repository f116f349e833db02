/**
 * Characters that hide or reorder text. They are removed, because users and models read the texts: control characters
 * (except newline and tab), bidirectional overrides and isolates, zero-width characters, and the tag block, which can
 * hide whole sentences in a description.
 */
const hidden =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFE00-\uFE0E\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu;

/** Removes hidden characters; `flagged` if there were any. */
export function cleanText(text: string): { cleaned: string; flagged: boolean } {
  const cleaned = text.replace(hidden, '');
  return { cleaned, flagged: cleaned !== text };
}
