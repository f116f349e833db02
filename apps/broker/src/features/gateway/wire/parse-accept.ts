import type { IncomingMessage } from 'node:http';
import { eventStream } from './events.ts';

export type Accepted = { readonly json: boolean; readonly events: boolean };

/** The header that nearly every client sends. */
const usual = 'application/json, text/event-stream';
const both: Accepted = { json: true, events: true };
/** Characters of a header that are read. */
const longest = 4096;

/**
 * Reads an Accept header (RFC 9110, section 12.5.1): case-insensitive media ranges in any order, with parameters and
 * quality. The most specific range decides, and a quality of 0 excludes. A missing or empty header accepts any type.
 */
export function parseAccept(header: string | undefined): Accepted {
  if (header === usual || header === undefined || header.trim() === '') return both;
  const ranges = partsOf(header.slice(0, longest), ',').map(readRange);
  return {
    json: isTaken(ranges, ['application/json', 'application/*', '*/*']),
    events: isTaken(ranges, [eventStream, 'text/*', '*/*']),
  };
}

/**
 * Rewrites a request's Accept header for the SDK, which looks for both names in every POST up to 2025-11-25 and ignores
 * quality. The gateway answers in the only type that the client accepts, if it accepts one only (json-answer.ts).
 */
export function nameAcceptedTypes({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): void {
  const accepted = parseAccept(headers.accept);
  if (method === 'POST') headers.accept = acceptHeader(accepted);
  else if (method === 'GET') headers.accept = accepted.events ? eventStream : withoutEvents(headers.accept);
}

export function acceptHeader({ json, events }: Accepted): string {
  return `application/json${json ? '' : ';q=0'}, ${eventStream}${events ? '' : ';q=0'}`;
}

/** Replaces a header that names event streams to exclude them: the SDK would read it as accepting them. */
const withoutEvents = (accept = '') => (accept.includes(eventStream) ? 'application/json' : accept);

type MediaRange = { type: string; isExcluded: boolean };

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = partsOf(text, ';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, isExcluded: quality !== undefined && /^0(?:\.0{0,3})?$/.test(valueOf(quality)) };
}

const valueOf = (parameter: string) => parameter.slice(parameter.indexOf('=') + 1).trim();

/** @param names from the most to the least specific */
function isTaken(ranges: readonly MediaRange[], names: readonly string[]): boolean {
  for (const name of names) {
    const named = ranges.filter(({ type }) => type === name);
    if (named.length > 0) return named.some(({ isExcluded }) => !isExcluded);
  }
  return false;
}

/** Splits a text at separators outside quotes. */
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
