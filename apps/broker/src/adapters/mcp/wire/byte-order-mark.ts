export const mark = '\ufeff';

/** Removes a byte order mark at the start of a text: a reader may ignore it (RFC 8259, section 8.1). */
export function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text;
}
