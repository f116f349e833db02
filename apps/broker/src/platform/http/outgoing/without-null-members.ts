import { isRecord } from '../../json.ts';
import { parseExactly } from '../../json/exact-numbers.ts';
import { scanJson } from '../../json/scan-json.ts';
import { maxJsonDepth } from '../json-depth.ts';

/**
 * Removes null and empty members from an OAuth document. Many servers and clients write null for absent members, and those
 * in Go write empty strings, which are never valid there. An empty access token stays, so that it is refused.
 */
export function withoutNullMembers(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isPresent = ([key, value]: [string, unknown]) => value !== null && (value !== '' || key === 'access_token');
  return Object.fromEntries(Object.entries(document).filter(isPresent));
}

/** Does the same for the text of an answer: metadata, a registration, tokens. Returns undefined if nothing changes. */
export function rewriteWithoutNull(text: string): string | undefined {
  const { isTooDeep, hasNull } = scanJson(text, maxJsonDepth);
  if (isTooDeep || !(hasNull || text.includes('""'))) return undefined;
  try {
    const document = parseExactly(text);
    return isRecord(document) ? JSON.stringify(withoutNullMembers(document)) : undefined;
  } catch {
    // the reader reports that it is not JSON
    return undefined;
  }
}
