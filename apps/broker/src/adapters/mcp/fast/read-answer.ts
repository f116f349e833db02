import {
  isInputRequiredResult,
  isSpecType,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/client';
import { asRecord } from '#platform/json.ts';
import { parseExactly } from '#platform/json/exact-numbers.ts';
import type { Era, ToolAnswer, ToolCallOptions } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import { checkLegacy, checkPromised, correctContent } from '../wire/promised-result.ts';
import { parseServerJson } from '../wire/server-messages.ts';
import { kindOf, ParsedResult, questionsOf, passedMeta, WrittenResult } from '../wire/tool-answer.ts';
import { protocolError } from '../wire/translate-error.ts';
import { hasTwoOutcomes, twoOutcomes } from '../wire/two-outcomes.ts';
import { isOrdinaryResult } from './ordinary-result.ts';
import { scanAnswer, type Member } from './scan-answer.ts';

type Reading = Pick<ToolCallOptions, 'expose' | 'resultTypes'>;
type Connection = { era: Era; inSession: boolean };

/**
 * Reads the answer of a server of either era.
 * @param message the parsed `text`
 * @throws UpstreamError `protocol` for a JSON-RPC error, bad_upstream for an invalid result, bad_result for a result that
 *   contradicts its tool's output schema
 */
export function readAnswer(
  text: string,
  message: Record<string, unknown>,
  { era, inSession }: Connection,
  options: Reading,
): ToolAnswer {
  const members = scanAnswer(text);
  if (hasTwoOutcomes(message)) throw twoOutcomes();
  const written = asRecord(message['result']) ?? resultIn(text);
  if (!written) throw readError(asRecord(parseServerJson(text)) ?? message, inSession);
  const isComplete = era === 'legacy' || written['resultType'] === 'complete';
  if (isComplete && members && isOrdinaryResult(written)) {
    checkPromised(written, options);
    return new WrittenResult(kindOf(written), joinedMembers(text, members), metaOf(written, text, members));
  }

  const result = resultIn(text) ?? written;
  if (!isComplete) {
    if (isInputRequiredResult(result)) return questionsOf(readQuestions(result));
    throw new UpstreamError('bad_upstream', 'the result has no valid resultType');
  }
  // only 2026-07-28 requires content
  if (era === 'modern' && !Array.isArray(result['content'])) throw notAResult();
  correctContent(result, options);
  const whole = { content: [], ...result };
  if (!isSpecType.CallToolResult(whole)) throw notAResult();
  if (era === 'legacy') checkLegacy(result);
  checkPromised(result, options);
  return new ParsedResult(exposed(whole, options));
}

/** Parses the result leniently: removes members that are null instead of absent, and reads empty lists as objects. */
function resultIn(text: string): Record<string, unknown> | undefined {
  return asRecord(asRecord(parseServerJson(text))?.['result']);
}

/** Converts a result that the SDK's client has read. @throws UpstreamError bad_result */
export function answerOf(result: CallToolResult | InputRequiredResult, options: Reading): ToolAnswer {
  if (isInputRequiredResult(result)) return questionsOf(result);
  correctContent(result, options);
  checkPromised(result, options);
  return new ParsedResult(exposed(result, options));
}

function exposed(result: CallToolResult, options: Pick<ToolCallOptions, 'expose'>): CallToolResult {
  return options.expose ? options.expose(result) : result;
}

function joinedMembers(text: string, members: readonly Member[]): string {
  let out = '';
  for (const { key, start, end } of members) {
    if (key === '_meta' || key === 'resultType') continue;
    out += `${out === '' ? '' : ','}${text.slice(start, end)}`;
  }
  return out;
}

/** Returns the result's `_meta` for the client. Numbers that may not fit a double are read from the text. */
function metaOf(
  { _meta: meta }: Record<string, unknown>,
  text: string,
  members: readonly Member[],
): Record<string, unknown> | undefined {
  if (meta === undefined) return undefined;
  const { start, end } = members.find(({ key }) => key === '_meta') ?? { start: 0, end: 0 };
  const member = text.slice(start, end);
  const exact = mayBeLong.test(member) ? asRecord(parseExactly(`{${member}}`))?.['_meta'] : meta;
  return passedMeta(asRecord(exact));
}

const mayBeLong = /\d{16}|\d[eE]/;

/** Reads the questions that a server asks before it answers, or a state to return, or both (2026-07-28). */
function readQuestions(result: InputRequiredResult): InputRequiredResult {
  const { inputRequests = {}, requestState, ...rest } = result;
  const asks = asRecord(inputRequests);
  const hasState = typeof requestState === 'string';
  if (!asks || (requestState !== undefined && !hasState)) throw notAResult();
  if (!hasState && Object.keys(asks).length === 0) throw notAResult();
  return { ...rest, inputRequests, ...(hasState && { requestState }) };
}

function readError(message: Record<string, unknown>, inSession: boolean): UpstreamError {
  const error = asRecord(message['error']);
  const { code, message: says, data } = error ?? {};
  if (!Number.isSafeInteger(code) || typeof says !== 'string') {
    return new UpstreamError('bad_upstream', 'the answer has neither result nor error');
  }
  return protocolError({ code: Number(code), message: says, data }, { inSession });
}

function notAResult(): UpstreamError {
  return new UpstreamError('bad_upstream', 'not a valid result of tools/call');
}
