import { GatheredBytes } from '#platform/gathered-bytes.ts';

/** Shared by all empty lines: a chunk can consist of them. */
const nothing = Buffer.alloc(0);

/**
 * Splits a byte stream into lines of at most `maxLineBytes`. A longer line is never buffered: `push` returns the lines
 * before it and `tooLong: true`, and the stream cannot be read further.
 */
export function createLineSplitter(maxLineBytes: number): {
  push(chunk: Buffer): { lines: Buffer[]; tooLong: boolean };
} {
  const unfinished = new GatheredBytes();
  return {
    push(chunk) {
      const lines: Buffer[] = [];
      let start = 0;
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, start)) {
        const part = at === start ? nothing : chunk.subarray(start, at);
        if (unfinished.length + part.length > maxLineBytes) return { lines, tooLong: true };
        if (unfinished.length === 0) lines.push(part);
        else {
          unfinished.add(part);
          lines.push(unfinished.take());
        }
        start = at + 1;
      }
      unfinished.add(chunk.subarray(start));
      return { lines, tooLong: unfinished.length > maxLineBytes };
    },
  };
}
