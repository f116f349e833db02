import { GatheredBytes } from '#platform/gathered-bytes.ts';
import { answerTooLarge } from './answer-limits.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits a byte stream of server-sent events at its blank lines. Returns only complete events, because the SDK's parser
 * scans an incomplete event again with each chunk. The limit counts the buffered bytes of one event, not the total of
 * a long-lived stream. A lone CR is not a line end: a stream of such lines counts as one event.
 */
export function createEventSplitter(maxEventBytes: number): {
  /** Returns the complete events in batches of at most 64. @throws UpstreamError result_too_large */
  push(chunk: Buffer): { events: number; bytes: Buffer }[];
  rest(): Buffer;
} {
  const unfinished = new GatheredBytes();
  /** Whether at most a CR has come since the last LF, so that the next LF ends a blank line. */
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
        check((cut === 0 ? unfinished.length : 0) + at + 1 - cut);
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
        unfinished.add(rest);
        check(unfinished.length);
      }
      return batches;
    },
    rest: () => unfinished.take(),
  };

  function take(bytes: Buffer, events: number): { events: number; bytes: Buffer } {
    if (unfinished.length === 0) return { events, bytes };
    unfinished.add(bytes);
    return { events, bytes: unfinished.take() };
  }

  function check(bytes: number): void {
    if (bytes > maxEventBytes) throw answerTooLarge(maxEventBytes);
  }
}
