/** One for all empty lines: a chunk can consist of them. */
const nothing = Buffer.alloc(0);

/**
 * Splits a byte stream into lines of at most `maxLineBytes`. A longer line is never buffered: `push` returns the lines
 * before it and `tooLong: true`, and the stream cannot be read further.
 */
export function createLineSplitter(maxLineBytes: number): {
  push(chunk: Buffer): { lines: Buffer[]; tooLong: boolean };
} {
  let buffered: Buffer[] = [];
  let heldBytes = 0;
  return {
    push(chunk) {
      const lines: Buffer[] = [];
      let start = 0;
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, start)) {
        const part = at === start ? nothing : chunk.subarray(start, at);
        if (heldBytes + part.length > maxLineBytes) return { lines, tooLong: true };
        lines.push(buffered.length === 0 ? part : Buffer.concat([...buffered, part]));
        buffered = [];
        heldBytes = 0;
        start = at + 1;
      }
      const rest = chunk.subarray(start);
      if (rest.length > 0) {
        buffered.push(rest);
        heldBytes += rest.length;
      }
      return { lines, tooLong: heldBytes > maxLineBytes };
    },
  };
}
