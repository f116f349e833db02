/** Byte order marks of UTF-16, as written by Windows; UTF-8 never begins with them. */
const utf16Marks = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

/**
 * Reads bytes as UTF-8; a byte order mark stays in the text.
 * @returns the text, or a fault to follow the file's name
 */
export function readUtf8(bytes: Uint8Array): { text: string; fault?: undefined } | { text?: undefined; fault: string } {
  if (utf16Marks.some(([first, second]) => bytes[0] === first && bytes[1] === second)) {
    return { fault: 'is UTF-16: save it as UTF-8' };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { fault: 'is not valid UTF-8' };
  }
}
