import { UpstreamError } from './upstream-error.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts a byte stream of server-sent events at its blank lines. Bytes go out as whole events only, so that the SDK's
 * parser never sees half of a large one (it would scan the whole of it again with each piece), and the bytes held
 * back are the size of one event: that is what the limit counts, never the total of a long-lived stream.
 * Lines that end in a lone CR are not recognised as ends: such a stream is counted whole.
 */
export function createEventSplitter(maxEventBytes: number): {
  /** Takes a chunk, gives the complete events so far in batches of at most 64. @throws UpstreamError result_too_large */
  push(chunk: Buffer): { events: number; bytes: Buffer }[];
  /** The incomplete rest at the end of the stream. */
  rest(): Buffer;
} {
  const held: Buffer[] = [];
  let heldBytes = 0;
  /** Whether everything since the last LF was nothing, or a CR: the next LF then closes a blank line. */
  let lineIsBlank = true;

  return {
    push(chunk) {
      const batches: { events: number; bytes: Buffer }[] = [];
      let start = 0;
      let events = 0;
      let cut = 0;
      let lineStart = 0;
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
        const blankSoFar = lineStart > 0 || lineIsBlank;
        const bare = at === lineStart || (at === lineStart + 1 && chunk[lineStart] === carriageReturn);
        lineStart = at + 1;
        if (!(blankSoFar && bare)) continue;
        check((cut === 0 ? heldBytes : 0) + at + 1 - cut);
        cut = at + 1;
        events++;
        if (events < 64) continue;
        batches.push(take(chunk.subarray(start, cut), events));
        start = cut;
        events = 0;
      }
      if (events > 0) {
        batches.push(take(chunk.subarray(start, cut), events));
        start = cut;
      }
      const tail = chunk.subarray(lineStart);
      if (lineStart > 0) lineIsBlank = true;
      lineIsBlank &&= tail.length === 0 || (tail.length === 1 && tail[0] === carriageReturn);
      const rest = chunk.subarray(start);
      if (rest.length > 0) {
        held.push(rest);
        heldBytes += rest.length;
        check(heldBytes);
      }
      return batches;
    },
    rest: () => Buffer.concat(held),
  };

  function take(bytes: Buffer, events: number): { events: number; bytes: Buffer } {
    const whole = held.length === 0 ? bytes : Buffer.concat([...held, bytes]);
    held.length = 0;
    heldBytes = 0;
    return { events, bytes: whole };
  }

  function check(bytes: number): void {
    if (bytes > maxEventBytes) {
      throw new UpstreamError('result_too_large', `an answer of more than ${maxEventBytes} bytes`);
    }
  }
}
