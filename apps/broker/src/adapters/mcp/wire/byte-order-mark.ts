export const mark = '\ufeff';

/** Text without a byte order mark at its start, which a reader may ignore (RFC 8259, section 8.1). */
export function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text;
}
