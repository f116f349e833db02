/** Which types an answer to this client may have: JSON, an event stream, or either. */
export type Accepted = { readonly json: boolean; readonly events: boolean };

/** What nearly every client sends. */
const usual = 'application/json, text/event-stream';
const both: Accepted = { json: true, events: true };
/** What stands behind it is not read. */
const longest = 4096;

/**
 * Reads an Accept header (RFC 9110, section 12.5.1): without case, of media ranges in any order, with parameters and quality. The
 * most specific range decides, and a quality of 0 excludes. No header, or an empty one, takes any type.
 */
export function parseAccept(header: string | undefined): Accepted {
  if (header === usual || header === undefined || header.trim() === '') return both;
  const ranges = partsOf(header.slice(0, longest), ',').map(readRange);
  return {
    json: isTaken(ranges, ['application/json', 'application/*', '*/*']),
    events: isTaken(ranges, ['text/event-stream', 'text/*', '*/*']),
  };
}

/** The header in the words that the SDK looks for: it asks for both names in every POST up to 2025-11-25, and knows no quality. */
export function acceptHeader({ json, events }: Accepted): string {
  return `application/json${json ? '' : ';q=0'}, text/event-stream${events ? '' : ';q=0'}`;
}

type MediaRange = { type: string; isExcluded: boolean };

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = partsOf(text, ';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, isExcluded: quality !== undefined && /^0(?:\.0{0,3})?$/.test(valueOf(quality)) };
}

const valueOf = (parameter: string) => parameter.slice(parameter.indexOf('=') + 1).trim();

/** @param names from the most specific to the least */
function isTaken(ranges: readonly MediaRange[], names: readonly string[]): boolean {
  for (const name of names) {
    const named = ranges.filter(({ type }) => type === name);
    if (named.length > 0) return named.some(({ isExcluded }) => !isExcluded);
  }
  return false;
}

/** The parts of a text between separators that stand outside of quotes. */
function partsOf(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === '\\') at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
