import {
  isInputRequiredResult,
  isSpecType,
  SERVER_INFO_META_KEY,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { PlainAnswer } from '#adapters/mcp/plain/call-plain.ts';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';
import { scanAnswer } from '#adapters/mcp/plain/scan-answer.ts';
import { stripPrefix } from '#adapters/mcp/translate-error.ts';
import type { Era } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Outcome } from '../record-call.ts';
import { isOrdinaryResult } from './ordinary-result.ts';

/** A tool's result, ready to be passed on: the JSON text of its members apart from `_meta` and `resultType`. */
export type PlainResult = {
  /** Comma-separated members; empty where there are none. */
  members: string;
  /** The upstream's `_meta` without its name, which is not ours to pass on; undefined where it gave none. */
  meta: Record<string, unknown> | undefined;
  outcome: Outcome;
};

/**
 * Reads the answer of a server of either era.
 * @param expose makes what names things of the server, its links, fit for the client
 * @throws UpstreamError `protocol` for a JSON-RPC error, bad_upstream for what is no result of tools/call
 */
export function readResult(
  { text, message }: PlainAnswer,
  era: Era,
  expose: (result: CallToolResult) => CallToolResult = (result) => result,
): PlainResult | InputRequiredResult {
  const members = scanAnswer(text);
  const result = asRecord(message['result']);
  if (!result) throw readError(message);
  if (era === 'modern' && result['resultType'] !== 'complete') {
    if (isInputRequiredResult(result)) return readQuestions(result);
    throw new UpstreamError('bad_upstream', 'the result gives no resultType');
  }
  if (members && isOrdinaryResult(result)) {
    const meta = ownMeta(asRecord(result['_meta']));
    return { members: spliced(text, members), meta, outcome: outcomeOf(result) };
  }

  // only 2026-07-28 demands content
  if (era === 'modern' && !Array.isArray(result['content'])) throw notAResult();
  const whole = { content: [], ...result };
  if (!isSpecType.CallToolResult(whole)) throw notAResult();
  return presentResult(expose(whole));
}

/** A result that was parsed and checked, in the same form. */
export function presentResult(result: CallToolResult): PlainResult {
  const { _meta: meta, resultType: _, ...rest }: CallToolResult & { resultType?: unknown } = result;
  return { members: JSON.stringify(rest).slice(1, -1), meta: ownMeta(asRecord(meta)), outcome: outcomeOf(result) };
}

/** The result as an object, for whoever passes it on as one. */
export function parseResult({ members, meta }: PlainResult): CallToolResult {
  // why the cast: it was found to be one before it was taken for a result
  return { ...(JSON.parse(`{${members}}`) as CallToolResult), ...(meta && { _meta: meta }) };
}

function outcomeOf(result: { isError?: unknown }): Outcome {
  return result.isError === true ? { outcome: 'error', reason: 'tool_error' } : { outcome: 'ok', reason: undefined };
}

function spliced(text: string, members: readonly { key: string; start: number; end: number }[]): string {
  let out = '';
  for (const { key, start, end } of members) {
    if (key === '_meta' || key === 'resultType') continue;
    out += `${out === '' ? '' : ','}${text.slice(start, end)}`;
  }
  return out;
}

/** What a server asks before it answers: its questions, or a state to come back with, or both (2026-07-28). */
function readQuestions(result: InputRequiredResult): InputRequiredResult {
  const { _meta, inputRequests = {}, requestState, ...rest } = result;
  const asks = asRecord(inputRequests);
  const hasState = typeof requestState === 'string';
  if (!asks || (requestState !== undefined && !hasState)) throw notAResult();
  if (!hasState && Object.keys(asks).length === 0) throw notAResult();
  const meta = ownMeta(_meta);
  return { ...rest, inputRequests, ...(hasState && { requestState }), ...(meta && { _meta: meta }) };
}

function ownMeta(meta: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (!meta || !(SERVER_INFO_META_KEY in meta)) return meta;
  const { [SERVER_INFO_META_KEY]: _, ...rest } = meta;
  return rest;
}

function readError(message: Record<string, unknown>): UpstreamError {
  const error = asRecord(message['error']);
  const { code, message: says, data } = error ?? {};
  if (!Number.isSafeInteger(code) || typeof says !== 'string') {
    return new UpstreamError('bad_upstream', 'the answer holds neither result nor error');
  }
  return new UpstreamError('protocol', stripPrefix(says), { code: Number(code), data });
}

function notAResult(): UpstreamError {
  return new UpstreamError('bad_upstream', 'not a result of tools/call');
}
