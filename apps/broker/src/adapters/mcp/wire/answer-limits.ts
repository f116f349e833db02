import { isTooDeep } from '#platform/http/json-depth.ts';
import { UpstreamError } from '../upstream-error.ts';

/** Twice the depth that a client may send us, which leaves room for the wrapping of a result. */
export const maxAnswerDepth = 128;

/**
 * Refuses an answer that is nested too deep, before it is parsed: JSON.parse accepts a million nested arrays, but
 * JSON.stringify then overflows the stack.
 * @param text may be decoded as latin1: only its ASCII characters matter
 * @throws UpstreamError bad_upstream
 */
export function refuseDeepJson(text: string): void {
  if (isTooDeep(text, maxAnswerDepth)) throw answerTooDeep();
}

export function answerTooDeep(): UpstreamError {
  return new UpstreamError('bad_upstream', `JSON of more than ${maxAnswerDepth} levels`);
}

export function answerTooLarge(maxBytes: number): UpstreamError {
  return new UpstreamError('result_too_large', `an answer of more than ${maxBytes} bytes`);
}
