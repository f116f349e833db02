import { isTooDeep } from '#platform/http/json-depth.ts';
import { UpstreamError } from './upstream-error.ts';

/** Twice the depth that a client may send us: room for what wraps a result. */
export const maxAnswerDepth = 128;

/**
 * JSON.parse takes a million nested arrays, and whoever writes them out again overflows the stack: such an answer is
 * refused before it is parsed.
 * @param text may be in latin1: only ASCII characters count
 * @throws UpstreamError bad_upstream
 */
export function refuseDeepJson(text: string): void {
  if (isTooDeep(text, maxAnswerDepth))
    throw new UpstreamError('bad_upstream', `JSON of more than ${maxAnswerDepth} levels`);
}
