import { isRecord } from '../../json.ts';
import { parseExactly } from '../../json/exact-numbers.ts';
import { scanJson } from '../../json/scan-json.ts';
import { maxJsonDepth } from '../json-depth.ts';

/**
 * The members of a document of OAuth that say something. Many servers and clients write null for absent, and those in Go an empty
 * text: no member of these documents may be one. An empty access token remains, which is refused with what came with it.
 */
export function withoutNullMembers(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const says = ([key, value]: [string, unknown]) => value !== null && (value !== '' || key === 'access_token');
  return Object.fromEntries(Object.entries(document).filter(says));
}

/** The same for the text of an answer: metadata, a registration, tokens. Undefined where it can stay as it came. */
export function rewriteWithoutNull(text: string): string | undefined {
  const { isTooDeep, hasNull } = scanJson(text, maxJsonDepth);
  if (isTooDeep || !(hasNull || text.includes('""'))) return undefined;
  try {
    const document = parseExactly(text);
    return isRecord(document) ? JSON.stringify(withoutNullMembers(document)) : undefined;
  } catch {
    // whoever reads it says that it is not JSON
    return undefined;
  }
}
